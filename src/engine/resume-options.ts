import { PitonError } from '../base/index.ts';
import type { Confirmation, Reopening, RerunSucceeded } from '../kernel/index.ts';
import type { DriftChoice } from './resolve-drift.ts';
import type { TakeOptions } from './take-run-lease.ts';

/** How a run is gone on with, and what of it runs again or is skipped. */
export interface ResumeOptions extends TakeOptions {
  /** Goes on with the given definition: it counts for all that has not begun, and what has settled stays. */
  readonly acceptDrift?: boolean;
  /**
   * Goes on with the definition it was started with, or has accepted last, however the given one differs. `unless-migrated`: but for one
   * of a higher version, whose migrations lead there from that of the run.
   */
  readonly keepDefinition?: boolean | 'unless-migrated';
  /** Settled tasks to run again, with what depends on them; also of a run that has ended. */
  readonly redo?: readonly string[];
  /** Those done by agents go on in their conversation. */
  readonly inSession?: boolean;
  /** Failed tasks without which the run goes on, with what was cancelled because of them; also of a run that has ended. */
  readonly skip?: readonly string[];
  /** Failed tasks whose work was done nevertheless: they go on to their check and merge, or have succeeded. Also of a run that has ended. */
  readonly done?: readonly DoneTask[];
  /**
   * Succeeded tasks that may run again, as `previewRedo` lists them; `true`: whichever have to. Without it, `redo`, `skip` and `done`
   * are refused where something that has succeeded would run again.
   */
  readonly rerunSucceeded?: RerunSucceeded;
  /**
   * The version of the checkpoint (or preview) on which `redo`, `skip` and `done` were decided: refused if one of these tasks has gone on
   * since. Without it they hold for the run as it is found.
   */
  readonly seen?: number;
}

/** A task that a person says has happened: it is settled as succeeded, with this output and the reason. */
export interface DoneTask extends Omit<Confirmation, 'by'> {
  readonly task: string;
}

/** What may be wished of tasks that have settled. */
export type RedoOptions = Pick<
  ResumeOptions,
  'redo' | 'skip' | 'done' | 'inSession' | 'rerunSucceeded' | 'seen'
>;

export function wishOf({ redo = [], skip = [], done = [], ...options }: RedoOptions): Reopening {
  const { inSession = false, rerunSucceeded, seen } = options;
  return {
    again: redo,
    skipped: skip,
    done: done.map(({ task }) => task),
    inSession,
    ...(rerunSucceeded !== undefined && { rerunSucceeded }),
    ...(seen !== undefined && { seen }),
  };
}

/** Throws `USAGE_INVALID` if both are wanted. What is to be re-run is re-run as it is defined now, unless told otherwise. */
export function driftChoice(options: ResumeOptions): DriftChoice {
  const { acceptDrift = false, keepDefinition = false } = options;
  if (acceptDrift && keepDefinition !== false) {
    const message = 'A run goes on with one definition: the new one, or the one it keeps.';
    const remedy = 'Leave one of acceptDrift and keepDefinition out.';
    throw new PitonError('USAGE_INVALID', message, { remedy });
  }
  if (acceptDrift) return 'accept';
  if (keepDefinition === 'unless-migrated') return 'keep-older';
  return keepDefinition ? 'keep' : usualChoice(options);
}

/** What was done nevertheless was done as it is in the definition that the run keeps. */
function usualChoice({ redo = [], skip = [], done = [] }: ResumeOptions): DriftChoice {
  if (redo.length + skip.length > 0) return 'accept';
  return done.length > 0 ? 'keep' : undefined;
}

/** Whether something that has settled is wanted otherwise: then a run that has ended goes on. */
export function reopens({ redo = [], skip = [], done = [] }: ResumeOptions): boolean {
  return redo.length + skip.length + done.length > 0;
}
