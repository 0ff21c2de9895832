import type { Reopening } from '../kernel/index.ts';
import type { TakeOptions } from './take-run-lease.ts';

export interface ResumeOptions extends TakeOptions {
  /** Goes on with the given definition where nothing that has begun differs. */
  readonly acceptDrift?: boolean;
  /** Settled tasks to be done again, with all that came of them; also of a run that has ended. */
  readonly redo?: readonly string[];
  /** Those done by agents go on in their conversation. */
  readonly inSession?: boolean;
  /** Failed tasks without which the run goes on, with what was cancelled because of them; also of a run that has ended. */
  readonly skip?: readonly string[];
  /**
   * The version of the checkpoint (or preview) on which `redo` and `skip` were decided: refused if one of these tasks has gone on
   * since. Without it they hold for the run as it is found.
   */
  readonly seen?: number;
}

export function wishOf({ redo = [], skip = [], inSession = false, seen }: ResumeOptions): Reopening {
  return { again: redo, skipped: skip, inSession, ...(seen !== undefined && { seen }) };
}

/** Whether something that has settled is wanted otherwise: then a run that has ended goes on. */
export function reopens({ redo = [], skip = [] }: ResumeOptions): boolean {
  return redo.length + skip.length > 0;
}
