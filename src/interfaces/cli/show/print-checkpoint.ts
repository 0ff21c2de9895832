import type { Checkpoint } from '../../../library/index.ts';
import type { Context } from '../context.ts';
import { cleanLine, cleanText, clockText, statusCell, whenText } from '../output/index.ts';
import { describeTask, triesText } from '../task-lines.ts';

/** A run as it was at a checkpoint. */
export function printCheckpoint({ output, now }: Context, checkpoint: Checkpoint): void {
  const { run, seq, at, workflow, status, inputs, state, tasks, lastTask } = checkpoint;
  const { text, paint = String } = statusCell(status, output.style);
  output.print(`${output.style.bold(`${run}@${seq}`)}  ${cleanLine(workflow)}  ${paint(text)}`);
  const last = lastTask === undefined ? '' : `, after ${lastTask}`;
  output.print(`${clockText(at)} (${whenText(at, now())})${last}`);
  printValue('inputs', inputs);
  if (state !== undefined) printValue('state', state);
  output.print();
  output.table(
    Object.entries(tasks).map(([address, task]) => [
      address,
      statusCell(task.status, output.style),
      triesText(task.tries),
      describeTask(task, now()),
    ]),
  );
  output.print();
  const [first = '<task>'] = Object.keys(tasks);
  output.next(`piton show ${run}@${seq} ${first}`);

  function printValue(name: string, value: unknown): void {
    output.print(`${output.style.dim(`${name}:`)} ${cleanText(JSON.stringify(value))}`);
  }
}
