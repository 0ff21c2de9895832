import type { TaskView } from '../../library/index.ts';
import { askedLines, type AskedCall } from './conversation/index.ts';
import { commandsFor } from './next-step.ts';
import type { Output } from './output/index.ts';

/** Enough to decide by; `piton show` has all of it. */
const room = { lines: 20, columns: 1_000 };

/** What an agent asks for, so that somebody can decide about it. */
export function printCall(output: Output, call: AskedCall, isWhole = false): void {
  for (const line of askedLines(call, isWhole ? undefined : room)) output.print(`    ${line}`);
}

/** The tool calls that agents of a run ask for, and what to type. */
export function printQuestions(output: Output, run: string, tasks: Readonly<Record<string, TaskView>>): void {
  for (const [address, task] of Object.entries(tasks)) {
    if (task.call === undefined) continue;
    output.print();
    output.print(`${output.style.magenta('?')} ${output.style.bold(address)} asks for`);
    printCall(output, task.call);
    for (const command of commandsFor(run, address, task)) output.print(`  ${command}`);
  }
}
