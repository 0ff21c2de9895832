import type { InboxItem, OfferedAction } from '../../../library/index.ts';
import { defineCommand } from '../command-spec.ts';
import { commandFor, commandForRun } from '../command-for.ts';
import type { Context } from '../context.ts';
import { Damages } from '../damages.ts';
import { printCall } from '../questions.ts';
import { cleanText, padTo, whenText, widthOf } from '../output/index.ts';

export const command = defineCommand({
  configure: (command) => command.option('--json', 'print JSON'),
  examples: [
    ['piton inbox', 'all that waits for a person, with the commands to type'],
    ['piton inbox --json', 'for programs'],
  ],
  async run(context) {
    const { output } = context;
    const damages = new Damages();
    const piton = await context.openIfAny();
    const items = (await piton?.inbox({ onDamaged: damages.add })) ?? [];
    const typed = items.map(withCommands);
    output.json(typed);
    for (const item of typed) printItem(context, item);
    const [first] = typed;
    if (first === undefined) output.print('Nothing waits for you.');
    output.next(first?.actions[0]?.command ?? 'piton list');
    return damages.report(output);
  },
});

interface TypedAction extends OfferedAction {
  /** To be typed. */
  readonly command: string;
}

interface TypedItem extends InboxItem {
  readonly actions: readonly TypedAction[];
}

function withCommands(item: InboxItem): TypedItem {
  const { run, task } = item;
  const commandOf = (action: string): string =>
    task === undefined ? commandForRun(action, run) : commandFor(action, run, task);
  return {
    ...item,
    actions: item.actions.map((offered) => ({ ...offered, command: commandOf(offered.action) })),
  };
}

function printItem(
  { output, now }: Context,
  { run, workflow, task, since, reason, call, actions }: TypedItem,
): void {
  const { bold, dim } = output.style;
  const when = dim(whenText(since, now()));
  output.print(`${bold(task ?? 'the run')}  ${run} (${cleanText(workflow)})  ${when}`);
  for (const line of cleanText(reason).split('\n')) output.print(`  ${line}`);
  if (call !== undefined) printCall(output, call);
  const width = Math.max(...actions.map(({ command }) => widthOf(command)), 0);
  for (const { command, effect } of actions)
    output.print(`    ${padTo(command, width)}  ${dim(`# ${effect}`)}`);
  output.print();
}
