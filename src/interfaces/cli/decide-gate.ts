import type { Command } from 'commander';
import { PitonError } from '../../base/index.ts';
import type { Checkpoint, TaskView } from '../../library/index.ts';
import { commandFor } from './command-for.ts';
import type { Invocation } from './command-spec.ts';
import type { Context } from './context.ts';
import { configureDecision, decide } from './decide.ts';
import { configureDrift, type DriftOptions } from './drive/drift-options.ts';
import type { ExitCode } from './exit-codes.ts';
import { findTask } from './find-task.ts';
import { cleanText, statusCell } from './output/index.ts';
import { printCall } from './questions.ts';
import { describeTask } from './task-lines.ts';

export interface GateOptions extends DriftOptions {
  readonly message?: string;
  readonly drive: boolean;
}

const mostShown = 30;

/** The same for approving and rejecting. */
export function configureGate(command: Command): Command {
  return configureDecision(
    configureDrift(
      command
        .argument('<run>', 'beginning of its id')
        .argument('<task>', 'the task that waits, as piton inbox shows it'),
    ).option('-m, --message <text>', 'why; it is kept with the run'),
  );
}

/** Shows what was done so far and what is asked, then decides, once. */
export async function decideGate(
  context: Context,
  verdict: 'approve' | 'reject',
  { args, options }: Invocation<GateOptions>,
): Promise<ExitCode> {
  const { run, address, gate, task } = await openGate(context, args);
  if (verdict === 'approve' && task.question !== undefined) throw notToApprove(run, address);
  return decide(context, {
    run,
    send: (handle) => handle[verdict](address, options.message, gate),
    mayDrive: options.drive,
    drift: options,
  });
}

function notToApprove(run: string, address: string): PitonError {
  return new PitonError('COMMAND_REFUSED', `${address} asks a question, which approving does not answer.`, {
    run,
    remedy: `Answer it: ${commandFor('answer', run, address)}`,
  });
}

interface OpenGate {
  readonly run: string;
  readonly address: string;
  readonly task: TaskView;
  /** What was shown, and is decided: no later one. Undefined: nothing is asked. */
  readonly gate: string | undefined;
}

/** Finds what is to be decided, and shows it. Throws `RUN_NOT_FOUND`, `TASK_UNKNOWN`. */
export async function openGate(
  context: Context,
  [given, address = '']: readonly string[],
): Promise<OpenGate> {
  const piton = await context.openExisting();
  const { run } = await piton.findRecord(given);
  const checkpoint = await (await piton.find(run)).checkpoint();
  const task = findTask(checkpoint, address);
  const { gate, reason, call } = task;
  if (gate !== undefined) printDone(context, checkpoint, reason ?? address);
  // Whoever answers sees all of it, however long it is: what is cut off might be what matters.
  if (call !== undefined) printCall(context.output, call, true);
  return { run, address, task, gate };
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
