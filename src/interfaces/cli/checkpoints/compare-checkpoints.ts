import { hasControls, shellWord, visibleText } from '../../../base/index.ts';
import type {
  ChangedTask,
  ChangedValue,
  CheckpointPlace,
  Comparison,
  DiffOptions,
  Piton,
} from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { cleanLine, isColoured, statusCell } from '../output/index.ts';
import { findCheckpoint } from './find-checkpoint.ts';

type Form = NonNullable<DiffOptions['form']>;

/** `piton diff <run>@<a> [<b>]`: `b` is another checkpoint of the run, or of another one; default: how it is now. */
export async function compareCheckpoints(
  context: Context,
  [from, to]: readonly [string, string | undefined],
  form: Form,
): Promise<ExitCode> {
  const { output } = context;
  const piton = await context.openExisting();
  const before = await findCheckpoint(piton, from);
  const after = await laterOf(piton, before.run, to);
  const coloured = !output.isJson && isColoured({ isTTY: output.isTerminal }, context.env);
  const options = { form, coloured, columns: output.columns };
  const compared = await piton.compare(nameOf(before), nameOf(after), options);
  output.json(jsonOf(compared, form));
  if (!output.isJson) print(context, compared);
  return exitCodes.done;
}

async function laterOf(piton: Piton, run: string, to: string | undefined): ReturnType<typeof findCheckpoint> {
  if (to === undefined) return findCheckpoint(piton, run);
  const isRun = to.includes('@') || (await piton.runIds()).includes(to);
  return findCheckpoint(piton, isRun ? to : `${run}@${to}`);
}

function nameOf({ run, seq }: Pick<CheckpointPlace, 'run' | 'seq'>): string {
  return `${run}@${seq}`;
}

/** The text is for people, but for a patch. */
function jsonOf({ files, ...rest }: Comparison, form: Form): object {
  if (files === undefined) return rest;
  const { from, to, files: changed, text } = files;
  return { ...rest, files: { from, to, files: changed, ...(form === 'patch' && { patch: text }) } };
}

function print(context: Context, { from, to, inputs, state, tasks, files }: Comparison): void {
  const { output } = context;
  const text = files?.text ?? '';
  if (inputs.length + state.length + tasks.length + text.length === 0)
    output.print(`Nothing is different between ${nameOf(from)} and ${nameOf(to)}.`);
  printValues(context, 'inputs', inputs);
  printValues(context, 'state', state);
  if (tasks.length > 0) output.print(output.style.dim('tasks:'));
  for (const task of tasks) printTask(context, task);
  printFiles(context, text);
  output.next(`piton show ${shellWord(nameOf(to))}`, `piton fork ${shellWord(nameOf(from))}`);
}

function printFiles({ output }: Context, text: string): void {
  if (text === '') return;
  output.print(output.style.dim('files:'));
  output.write(output.isTerminal && hasControls(text) ? visibleText(text) : text);
}

function printValues({ output }: Context, what: string, values: readonly ChangedValue[]): void {
  if (values.length > 0) output.print(output.style.dim(`${what}:`));
  for (const { name, ...change } of values) output.print(`  ${cleanLine(name)}: ${valueText(change)}`);
}

function printTask({ output }: Context, { task, from, to, output: value }: ChangedTask): void {
  const shown = [from, to].map((status) => {
    if (status === undefined) return 'not there';
    const { text, paint = String } = statusCell(status, output.style);
    return paint(text);
  });
  output.print(`  ${cleanLine(task)}: ${from === to ? shown[1] : shown.join(' → ')}`);
  if (value !== undefined) output.print(`    output: ${valueText(value)}`);
}

function valueText({ from, to }: Omit<ChangedValue, 'name'>): string {
  const shown = [from, to].map((value) => (value === undefined ? 'none' : shortened(JSON.stringify(value))));
  return shown.join(' → ');
}

const longest = 200;

function shortened(text: string): string {
  const line = cleanLine(text);
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
