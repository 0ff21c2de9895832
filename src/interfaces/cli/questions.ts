import type { TaskView } from '../../library/index.ts';
import { askedLines, type AskedCall } from './conversation/index.ts';
import { questionLine } from './answers/question-text.ts';
import type { Context } from './context.ts';
import { commandsFor } from './next-step.ts';
import { cleanLine, type Output } from './output/index.ts';

/** Enough to decide by; `piton show` has all of it. */
const room = { lines: 20, columns: 1_000 };

/** What an agent asks for, so that somebody can decide about it. */
export function printCall(output: Output, call: AskedCall, isWhole = false): void {
  for (const line of askedLines(call, isWhole ? undefined : room)) output.print(`    ${line}`);
}

/** What tasks of a run ask, and the tool calls that their agents ask for, with what to type. */
export function printQuestions(
  { output, now }: Pick<Context, 'output' | 'now'>,
  run: string,
  tasks: Readonly<Record<string, TaskView>>,
): void {
  for (const [address, task] of Object.entries(tasks)) {
    const { call, question, reason = '' } = task;
    if (call === undefined && question === undefined) continue;
    output.print();
    const what = question === undefined ? 'asks for' : `asks: ${cleanLine(reason)}`;
    output.print(`${output.style.magenta('?')} ${output.style.bold(address)} ${what}`);
    if (call !== undefined) printCall(output, call);
    if (question !== undefined) output.print(`    ${questionLine(question, now())}`);
    for (const command of commandsFor(run, address, task)) output.print(`  ${command}`);
  }
}
