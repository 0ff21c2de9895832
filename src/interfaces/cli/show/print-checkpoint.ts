import { shellWord } from '../../../base/index.ts';
import type { Checkpoint, RunView } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { cleanLine, cleanText, clockText, statusCell, whenText } from '../output/index.ts';
import { nextStep } from '../next-step.ts';
import { aboutLines } from '../settings/about-lines.ts';
import { attemptText, describeTask } from '../task-lines.ts';

/** A run as it was at a checkpoint. `current`: it is the last one, and this is how the run is now. */
export function printCheckpoint({ output, now }: Context, checkpoint: Checkpoint, current?: RunView): void {
  const { run, seq, at, workflow, status, inputs, state, tasks, lastTask } = checkpoint;
  const { text, paint = String } = statusCell(current?.status ?? status, output.style);
  output.print(`${output.style.bold(`${run}@${seq}`)}  ${cleanLine(workflow)}  ${paint(text)}`);
  const last = lastTask === undefined ? '' : `, after ${lastTask}`;
  output.print(`${clockText(at)} (${whenText(at, now())})${last}`);
  for (const line of aboutLines(checkpoint, { style: output.style, now: now() })) output.print(line);
  printValue('inputs', inputs);
  if (state !== undefined) printValue('state', state);
  output.print();
  output.table(
    Object.entries(tasks).map(([address, task]) => [
      address,
      statusCell(task.status, output.style),
      attemptText(task),
      describeTask(task, now()),
    ]),
  );
  output.print();
  output.next(...nextFor(checkpoint, current));

  function printValue(name: string, value: unknown): void {
    output.print(`${output.style.dim(`${name}:`)} ${cleanText(JSON.stringify(value))}`);
  }
}

function nextFor({ run, seq, tasks }: Checkpoint, current: RunView | undefined): [string, ...string[]] {
  const [first] = Object.keys(tasks);
  const task = first === undefined ? '<task>' : shellWord(first);
  const ofTask = `piton show ${shellWord(`${run}@${seq}`)} ${task}`;
  const step = current && nextStep(current);
  return step === undefined ? [ofTask] : [step, ofTask];
}
