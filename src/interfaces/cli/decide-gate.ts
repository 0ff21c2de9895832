import type { Command } from 'commander';
import type { Checkpoint } from '../../library/index.ts';
import type { Invocation } from './command-spec.ts';
import type { Context } from './context.ts';
import { decide } from './decide.ts';
import type { ExitCode } from './exit-codes.ts';
import { findTask } from './find-task.ts';
import { cleanText, statusCell } from './output/index.ts';
import { printCall } from './questions.ts';
import { describeTask } from './task-lines.ts';

export interface GateOptions {
  readonly message?: string;
  readonly drive: boolean;
}

const mostShown = 30;

/** The same for approving and rejecting. */
export function configureGate(command: Command): Command {
  return command
    .argument('<run>', 'beginning of its id')
    .argument('<task>', 'the task that waits, as piton inbox shows it')
    .option('-m, --message <text>', 'why; it is kept with the run')
    .option('--no-drive', 'only leave the decision for whoever resumes the run, if nobody drives it')
    .option('--json', 'print JSON');
}

/** Shows what was done so far and what is asked, then decides, once. */
export async function decideGate(
  context: Context,
  verdict: 'approve' | 'reject',
  { args, options }: Invocation<GateOptions>,
): Promise<ExitCode> {
  const piton = await context.openExisting();
  const { run } = await piton.findRecord(args[0]);
  const address = args[1]!;
  const checkpoint = await (await piton.find(run)).checkpoint();
  const { gate, reason, call } = findTask(checkpoint, address);
  if (gate !== undefined) printDone(context, checkpoint, reason ?? address);
  // Whoever answers sees all of it, however long it is: what is cut off might be what matters.
  if (call !== undefined) printCall(context.output, call, true);
  return decide(context, {
    run,
    send: (handle) => handle[verdict](address, options.message, gate),
    mayDrive: options.drive,
  });
}

function printDone({ output, now }: Context, { tasks }: Checkpoint, question: string): void {
  const settled = Object.entries(tasks).filter(([, { endedAt }]) => endedAt !== undefined);
  output.print('Done so far:');
  if (settled.length === 0) output.print('  nothing');
  output.table(
    settled
      .slice(-mostShown)
      .map(([task, report]) => [
        `  ${task}`,
        statusCell(report.status, output.style),
        describeTask(report, now()),
      ]),
  );
  output.print();
  output.print(`${output.style.bold('?')} ${cleanText(question)}`);
}
