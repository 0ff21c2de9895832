import { PitonError, shellWord } from '../../../base/index.ts';
import type { LentSession, Run } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { findAgentTask } from '../find-agent-task.ts';
import { commandsFor } from '../next-step.ts';
import { talk, type Talk } from '../open/talk.ts';
import { commandFor } from '../command-for.ts';
import { cleanLine } from '../output/index.ts';

interface Options {
  readonly print?: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('<run>', 'beginning of its id')
      .argument('<task>', 'a task that an agent has begun, and that does not run now')
      .option('--print', 'only print the command line, and take nothing')
      .option('--json', 'the same as JSON')
      .addHelpText(
        'after',
        `
Starts the agent's own program in the session of the task, in the folder the task works in, with this terminal. Until
it ends nobody else goes on in that session; then it is given back, and the task's next attempt goes on in it. What is typed is
for the agent, Ctrl-C too. Exit code 1 if the agent's program failed.`,
      ),
  examples: [
    ['piton open 4f2 build', 'see what its agent has done, and talk to it'],
    ['piton open 4f2 build --print', 'what that would start'],
  ],
  async run(context, { args, options }) {
    const piton = await context.openExisting();
    const { run } = await piton.findRecord(args[0]);
    const place = { run: await piton.find(run), address: args[1]! };
    await findAgentTask(piton, run, place.address);
    if (options.print === true || context.output.isJson) return printCommand(context, place);
    return openSession(context, place);
  },
});

type Openable = Awaited<ReturnType<Run['session']>>;

interface Place {
  readonly run: Run;
  readonly address: string;
}

async function printCommand({ output }: Context, { run, address }: Place): Promise<ExitCode> {
  const { agent, session, directory, argv, busy } = await run.session(address);
  output.json({ run: run.id, task: address, agent, session, directory, argv, ...(busy && { busy }) });
  // Not where the command line is read from.
  if (busy !== undefined)
    output.note(`Do not type this yet: ${cleanLine(busy)}, and two at once would spoil it.`);
  output.print(`cd ${shellWord(directory)} && ${argv.map(shellWord).join(' ')}`);
  return exitCodes.done;
}

/** Whoever has taken it gives it back, whatever happens in between. */
async function openSession(context: Context, { run, address }: Place): Promise<ExitCode> {
  const { output } = context;
  const session = await run.session(address);
  assertTerminal(context, session, commandFor('open', run.id, address));
  const lent = await run.lend(address);
  let ended: Talk;
  try {
    output.print(`Opening the session ${lent.session} of ${address}: ${lent.title} in ${lent.directory}`);
    output.print('Nobody else goes on in it until you leave it.');
    await output.flush();
    ended = await talk(lent, context.env);
  } finally {
    await lent.giveBack();
  }
  output.print();
  output.print(endText(lent, ended));
  await sayNext(context, run, address);
  return ended.code === 0 || ended.signal === 'SIGINT' ? exitCodes.done : exitCodes.failed;
}

/** Without one, real agents take what they find for a prompt, or fail in words of their own. */
function assertTerminal({ stdin, output }: Context, { agent, title }: Openable, command: string): void {
  if (agent === 'scripted' || (stdin().isTTY && output.isTerminal)) return;
  throw new PitonError('USAGE_INVALID', `${title} talks on a terminal, and here is none.`, {
    remedy: `Type it in a terminal, without a pipe; or see what it would start: ${command} --print.`,
  });
}

function endText({ title }: LentSession, { code, signal }: Talk): string {
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  return code === 0 ? 'The session is back.' : `The session is back. ${title} ended ${how}.`;
}

async function sayNext(context: Context, run: Run, address: string): Promise<void> {
  const checkpoint = await run.checkpoint();
  const task = checkpoint.tasks[address]!;
  const [first = goingOn(run.id, address, await run.status()), ...others] = commandsFor(
    run.id,
    address,
    task,
  );
  const canHear = ['pending', 'queued', 'delayed', 'held', 'failed'].includes(task.status);
  context.output.next(first, ...others, ...(canHear ? [`${commandFor('tell', run.id, address)} "…"`] : []));
}

function goingOn(run: string, address: string, status: Awaited<ReturnType<Run['status']>>): string {
  if (status === 'succeeded') return commandFor('show', run, address);
  if (status === 'failed' || status === 'cancelled') return commandFor('retry', run, address);
  return status === 'interrupted' || status === 'paused' || status === 'held'
    ? `piton resume ${shellWord(run)}`
    : `piton attach ${shellWord(run)}`;
}
