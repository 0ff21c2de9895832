import { isFinal, type RunStatus } from '../model/index.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { QueuedDecision } from './queued.ts';

/**
 * As people are shown it. `interrupted`: it should go on, and nobody drives it. `behind`: its journal is older than what is
 * known of it elsewhere, whatever it says.
 */
export type ShownStatus = RunStatus | 'interrupted' | 'behind';

/** The process that drives a run, or did so last without letting go of it. */
export interface DriverView {
  /** False: it died without letting go. */
  readonly alive: boolean;
  /** It was stopped (Ctrl-Z), and does nothing. */
  readonly stopped: boolean;
  readonly host: string;
  readonly pid: number;
  readonly since: number;
}

/** What is wrong with a run as a whole, and what to do about it. */
export interface ProblemView {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
}

/** What of a run is known from outside of its journal. */
export interface Circumstances {
  readonly isDriven: boolean;
  readonly driver?: DriverView;
  /** Nothing can be written at the moment. */
  readonly isStalled?: boolean;
  /** Its journal lacks a commit, or cannot be compared. */
  readonly problem?: ProblemView;
  readonly queued?: readonly QueuedDecision[];
}

/** A run as it is now. */
export interface RunView<State = unknown> extends Omit<Checkpoint<State>, 'status'> {
  readonly status: ShownStatus;
  readonly driver?: DriverView;
  /** Why what is shown is out of date, if it is. */
  readonly problem?: ProblemView;
  /** What was decided and has no effect yet, oldest first: nobody drives the run, or its driver has not come to it. */
  readonly queued?: readonly QueuedDecision[];
}

export function runView<State>(checkpoint: Checkpoint<State>, circumstances: Circumstances): RunView<State> {
  const { driver, problem, queued = [] } = circumstances;
  return Object.freeze({
    ...checkpoint,
    status: shownStatus(checkpoint, circumstances),
    ...(driver !== undefined && { driver }),
    ...(problem !== undefined && { problem }),
    ...(queued.length > 0 && { queued }),
  });
}

export function shownStatus(
  { status, wakeAt }: { readonly status: RunStatus; readonly wakeAt?: number },
  { isDriven, isStalled = false, problem }: Circumstances,
): ShownStatus {
  if (problem?.code === 'RUN_BEHIND') return 'behind';
  if (isStalled) return 'stalled';
  // Only a person can go on with it: that nobody drives it is as it should be.
  const isWaiting = status === 'paused' || (status === 'held' && wakeAt === undefined);
  if (isFinal(status) || isWaiting) return status;
  return isDriven ? status : 'interrupted';
}
