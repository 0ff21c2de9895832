import { PitonError } from '../base/index.ts';
import type { RunState } from '../kernel/index.ts';
import type { Command, CommandAnswer } from '../model/index.ts';
import type { CommandResult } from './command-result.ts';
import type { TaskView } from '../views/index.ts';

export type GateCommand = Extract<Command, { readonly type: 'approve' | 'reject' | 'answer' }>;
/** Of each of them, without the gate. */
export type GateDecision = GateCommand extends infer Each
  ? Each extends GateCommand
    ? Omit<Each, 'gate'>
    : never
  : never;

/** What a decision was made on. */
export interface Seen {
  /** The `version` of the checkpoint that this was decided on: refused if the task has gone on since. */
  readonly seen?: number;
}

/** The same of one that may have succeeded tasks run again. */
export interface Redoing extends Seen {
  /** Succeeded tasks that may run again, as `piton.previewRedo` lists them; `true`: whichever have to. Without it, none does. */
  readonly rerunSucceeded?: true | readonly string[];
}

export function removed(run: string, cause: unknown): PitonError {
  return new PitonError('RUN_REMOVED', `Run ${run} has ended, and was removed meanwhile.`, {
    run,
    cause,
    remedy: 'How it ended is known to the process that drove it.',
  });
}

export function stopped(run: string): PitonError {
  return new PitonError('RUN_STOPPED', `Run ${run} was let go of before it ended.`, {
    run,
    remedy: 'Resume it: it goes on where it was.',
  });
}

export function interrupted(run: string): PitonError {
  return new PitonError('RUN_INTERRUPTED', `Run ${run} has not ended, and nobody drives it.`, {
    run,
    remedy: 'Resume it: it goes on where it was.',
  });
}

export function whyNoGate(address: string, task: TaskView | undefined): string {
  if (task === undefined) return `the run has no task ${address}`;
  const isOverBudget = task.actions?.some((action) => action.startsWith('raise-')) === true;
  return isOverBudget
    ? `${address} waits because ${task.reason}: say by how much to raise it`
    : `${address} waits for no decision`;
}

/** Whoever decides something for a run that a fork has taken the place of means the fork. */
export function whySuperseded({ phase }: RunState, { type }: Command): string | undefined {
  const by = phase.status === 'paused' ? phase.supersededBy : undefined;
  if (by === undefined || type === 'resume' || type === 'cancel' || type === 'return') return undefined;
  return `run ${by} has taken its place: decide there; or end the pause first, and both go on`;
}

export function asResult({ accepted, text }: CommandAnswer): CommandResult {
  return { status: accepted ? 'accepted' : 'refused', text };
}
