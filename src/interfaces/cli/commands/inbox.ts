import { defineCommand } from '../command-spec.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { waitingTasks, type WaitingTask } from '../waiting-tasks.ts';
import { printCall } from '../questions.ts';
import { cleanText, whenText } from '../output/index.ts';

export const command = defineCommand({
  configure: (command) => command.option('--json', 'print JSON'),
  examples: [
    ['piton inbox', 'all that waits for a person, with the commands to type'],
    ['piton inbox --json', 'for programs'],
  ],
  async run(context) {
    const waiting = context.hasStore() ? await waitingTasks(await context.openExisting()) : [];
    context.output.json(waiting);
    for (const task of waiting) printTask(context, task);
    const [first] = waiting;
    if (first === undefined) context.output.print('Nothing waits for you.');
    context.output.next(first?.commands[0] ?? 'piton list');
    return exitCodes.done;
  },
});

function printTask(
  { output, now }: Context,
  { run, workflow, task, since, reason, call, commands }: WaitingTask,
): void {
  const { bold, dim } = output.style;
  const when = dim(whenText(since, now()));
  output.print(`${bold(task ?? 'damage')}  ${run} (${cleanText(workflow)})  ${when}`);
  for (const line of cleanText(reason).split('\n')) output.print(`  ${line}`);
  if (call !== undefined) printCall(output, call);
  for (const command of commands) output.print(`    ${command}`);
  output.print();
}
