import { shellWord } from '../../../base/index.ts';
import type { InboxItem, OfferedAction } from '../../../library/index.ts';
import { choiceText } from '../../../model/index.ts';
import { questionLine } from '../answers/question-text.ts';
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
    output.next(first === undefined ? 'piton list' : nextOf(first));
    return damages.report(output);
  },
});

/** Which of several answers it is to be, is not for us to say. */
function nextOf({ run, task, actions }: TypedItem): string {
  const [first] = actions;
  if (first?.action === 'answer' && task !== undefined) return commandFor('answer', run, task);
  return first?.command ?? 'piton list';
}

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
    actions: item.actions.flatMap((offered) => {
      const command = commandOf(offered.action);
      const choices = offered.action === 'answer' ? (item.question?.choices ?? []).slice(0, mostChoices) : [];
      return choices.length === 0
        ? [{ ...offered, command }]
        : choices.map((choice) => ({ ...offered, command: `${command} ${shellWord(choiceText(choice))}` }));
    }),
  };
}

/** Each choice is a line; of more, the command without one lists them. */
const mostChoices = 9;

function printItem(
  { output, now }: Context,
  { run, workflow, task, since, reason, call, question, actions }: TypedItem,
): void {
  const { bold, dim } = output.style;
  const when = dim(whenText(since, now()));
  output.print(`${bold(task ?? 'the run')}  ${run} (${cleanText(workflow)})  ${when}`);
  for (const line of cleanText(reason).split('\n')) output.print(`  ${line}`);
  if (call !== undefined) printCall(output, call);
  if (question !== undefined) output.print(`  ${dim(questionLine(question, now()))}`);
  const width = Math.max(...actions.map(({ command }) => widthOf(command)), 0);
  for (const { command, effect } of actions)
    output.print(`    ${padTo(command, width)}  ${dim(`# ${effect}`)}`);
  output.print();
}
