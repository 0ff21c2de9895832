import { text as textOf } from 'node:stream/consumers';
import { PitonError, shellWord } from '../../../base/index.ts';
import type { CommandResult, TaskView } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { refused } from '../decide.ts';
import { exitCodes } from '../exit-codes.ts';
import { findAgentTask } from '../find-agent-task.ts';
import { commandFor } from '../command-for.ts';

interface Options {
  readonly now?: boolean;
}

export const command = defineCommand<Options>({
  configure: (command) =>
    command
      .argument('<run>', 'beginning of its id')
      .argument('<task>', 'a task that an agent does')
      .argument('[text...]', 'what to say; - or nothing: read from standard input')
      .option('--now', 'stop an agent that is working, and let it go on with the message')
      .option('--json', 'print JSON')
      .addHelpText(
        'after',
        `
The agent hears it in its session: in its next turn, when it is tried again, or at once with --now. This never starts
anything: where nobody drives the run, the message waits until it is resumed.`,
      ),
  examples: [
    ['piton tell 4f2 build "use the new API"', 'heard in its next turn'],
    ['piton tell 4f2 build --now stop, the branch is wrong', 'heard at once'],
    ['piton tell 4f2 build < notes.md', 'what is in a file'],
  ],
  async run(context, { args, options }) {
    const piton = await context.openExisting();
    const { run } = await piton.findRecord(args[0]);
    const address = args[1]!;
    const task = await findAgentTask(piton, run, address);
    assertHeard(run, address, task);
    const text = await messageIn(context, args.slice(2));
    const { generation = 0 } = task;
    const handle = await piton.find(run);
    const result = await handle.tell(address, text, { now: options.now === true, generation });
    if (result.status === 'refused') throw refused(run, result.text);
    const { status, text: answer } = result;
    context.output.json({ run, task: address, status, text: answer });
    say(context, { run, address, task, result });
    return exitCodes.done;
  },
});

/** Where nobody drives the run, nobody else would say so before it is resumed. */
function assertHeard(run: string, address: string, { status, session }: TaskView): void {
  if (status !== 'succeeded' && status !== 'skipped' && status !== 'cancelled') return;
  const open = session && ` Or talk to its agent yourself: ${commandFor('open', run, address)}.`;
  throw new PitonError('COMMAND_REFUSED', `${address} has ${ends[status]}: nobody would hear it.`, {
    run,
    task: address,
    remedy: `Run it again: ${commandFor('retry', run, address)}${status === 'succeeded' ? ' --redo' : ''}.${open ?? ''}`,
  });
}

const ends = { succeeded: 'succeeded', skipped: 'been skipped', cancelled: 'been cancelled' } as const;

async function messageIn({ output, stdin }: Context, words: readonly string[]): Promise<string> {
  const isTyped = words.length > 0 && words.join(' ') !== '-';
  if (!isTyped && stdin().isTTY) output.note('What is to be said? End it with Ctrl-D on a line of its own.');
  const text = (isTyped ? words.join(' ') : await textOf(stdin())).trim();
  if (text !== '') return text;
  throw new PitonError('USAGE_INVALID', 'The message is empty.', {
    remedy: 'Say something: piton tell <run> <task> "…".',
  });
}

interface Told {
  readonly run: string;
  readonly address: string;
  readonly task: TaskView;
  readonly result: CommandResult;
}

function say({ output }: Context, told: Told): void {
  const { run, address, result } = told;
  const { when, next } = whenHeard(told);
  if (result.status === 'accepted') output.print(`Run ${run}: ${result.text}.`);
  else output.print(`Nobody drives run ${run}: the message waits, and ${address} hears it when ${when}.`);
  output.next(next);
}

/** A task that waits for a person hears nothing before that one has decided. */
function whenHeard({ run, address, task, result }: Told): { readonly when: string; readonly next: string } {
  const { status, gate } = task;
  if (status === 'failed' || (status === 'held' && gate === undefined))
    return { when: 'it is tried again', next: commandFor('retry', run, address) };
  if (status === 'held') return { when: 'it is approved', next: commandFor('approve', run, address) };
  const verb = result.status === 'queued' ? 'resume' : 'attach';
  return { when: 'the run goes on', next: `piton ${verb} ${shellWord(run)}` };
}
