import type { TaskState } from '../kernel/index.ts';
import type { Outcome } from '../model/index.ts';

/** What becomes of the attempt if it does not succeed after all. */
export interface StopReason {
  /** `idle`: it did nothing any more. Unlike when somebody asks for it, it says something against the attempt. */
  readonly type: 'timeout' | 'cancelled' | 'interrupted' | 'idle';
  readonly text: string;
}

/** An attempt that has been committed, under way. Tells its outcome once, whatever happens. */
export interface Attempt {
  readonly task: string;
  readonly id: string;
  /** Resolves when nothing of it is left to wait for in this process, which may be long after it was given up. */
  readonly returned: Promise<void>;
  /** Asks it to end; after the grace it is given up. The first reason counts. */
  stop(reason: StopReason): void;
  /** Whether it may be stopped now, and simply go on later: nothing is under way whose effect would be unknown. */
  mayPause?(): boolean;
  /** What the journal knows now of what its function has asked people. */
  learn?(task: TaskState): void;
  /** The driver cannot go on. What lives by itself is left to whoever drives next. */
  letGo(reason: StopReason): void;
  /** Tells the outcome, unless it was told. */
  end(outcome: Outcome): void;
}

/** What does not stop must not be started a second time beside itself: then there is no retry. */
export function stoppedOutcome(
  { type, text }: StopReason,
  { isStillRunning }: { isStillRunning: boolean },
): Outcome {
  if (type === 'cancelled') return { type: 'cancelled', reason: text };
  if (type === 'interrupted' || type === 'idle') {
    if (isStillRunning)
      return { type: 'interrupted', reason: `${text}, and it did not stop`, mayStillRun: true };
    return { type: 'interrupted', reason: text, ...(type === 'interrupted' && { graceful: true }) };
  }
  const message = isStillRunning ? `${text}, and did not stop when it was asked to` : text;
  return { type: 'failed', failure: { code: 'TIMEOUT', message, retryable: !isStillRunning } };
}

/** From a note in the spool. Torn or unknown, it says nothing. */
export function readStopNote(text: string | undefined): StopReason | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as StopReason);
  } catch {
    return undefined;
  }
}
