import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { Damages } from '../damages.ts';
import { waitingTasks, type WaitingTask } from '../waiting-tasks.ts';
import { printCall } from '../questions.ts';
import { cleanText, padTo, whenText, widthOf } from '../output/index.ts';

export const command = defineCommand({
  configure: (command) => command.option('--json', 'print JSON'),
  examples: [
    ['piton inbox', 'all that waits for a person, with the commands to type'],
    ['piton inbox --json', 'for programs'],
  ],
  async run(context) {
    const damages = new Damages();
    const waiting = context.hasStore() ? await waitingTasks(await context.openExisting(), damages) : [];
    context.output.json(waiting);
    for (const task of waiting) printTask(context, task);
    const [first] = waiting;
    if (first === undefined) context.output.print('Nothing waits for you.');
    context.output.next(first?.commands[0] ?? 'piton list');
    return damages.report(context.output);
  },
});

function printTask(
  { output, now }: Context,
  { run, workflow, task, since, reason, call, actions, commands }: WaitingTask,
): void {
  const { bold, dim } = output.style;
  const when = dim(whenText(since, now()));
  output.print(`${bold(task ?? 'the run')}  ${run} (${cleanText(workflow)})  ${when}`);
  for (const line of cleanText(reason).split('\n')) output.print(`  ${line}`);
  if (call !== undefined) printCall(output, call);
  for (const line of commandLines({ actions, commands }, dim)) output.print(`    ${line}`);
  output.print();
}

/** Of a place, what each does cannot be read from its name. */
const meanings: Readonly<Record<string, string>> = {
  diff: 'look at what it has made',
  resolve: 'make it fit by hand',
  retry: 'go on there, and try again',
  recreate: 'make its place again from what is committed on its branch',
  restore: 'make its place again as it was last saved',
  adopt: 'take it as it is',
  discard: 'begin anew; what is there is archived',
  skip: 'go on without it',
};

function commandLines(
  { actions, commands }: Pick<WaitingTask, 'actions' | 'commands'>,
  dim: (text: string) => string,
): readonly string[] {
  if (!actions.includes('recreate')) return commands;
  const width = Math.max(...commands.map((command) => widthOf(command)));
  return commands.map((command, index) => {
    const meaning = meanings[actions[index] ?? ''];
    return meaning === undefined ? command : `${padTo(command, width)}  ${dim(`# ${meaning}`)}`;
  });
}
