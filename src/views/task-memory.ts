import type { AskedCall } from '../kernel/index.ts';
import type { EventOf } from '../model/index.ts';

export interface WatchedAttempt {
  readonly id: string;
  /** Of the attempt that it is, or belongs to. */
  readonly number: number;
  readonly startedAt: number;
  /** Its name, if it is one. */
  readonly agent?: string;
  /** Absent: the work itself. */
  readonly kind?: NonNullable<EventOf<'attempt.started'>['data']['kind']>;
  /** The one before it was interrupted. */
  readonly isAgain: boolean;
  /** Of an agent: its last message or tool call in this attempt. */
  readonly last?: string;
}

/** What is worth telling of the attempts of one task, and is not in its state. */
export class TaskMemory {
  attempt: Omit<WatchedAttempt, 'number'> | undefined;
  /** Of the last attempt at the work, with the checks and revisions that belong to it. */
  tookMs: number | undefined;
  asked: AskedCall | undefined;
  #isInterrupted = false;

  begin(
    id: string,
    { kind, agent, begunAt }: EventOf<'attempt.started'>['data'],
    at: number,
  ): Omit<WatchedAttempt, 'number'> {
    this.attempt = {
      id,
      startedAt: begunAt ?? at,
      isAgain: this.#isInterrupted,
      ...(kind !== undefined && { kind }),
      ...(agent !== undefined && { agent: agent.name }),
    };
    // It has taken as long as all that belongs to it.
    if (kind === undefined) this.tookMs = undefined;
    this.#isInterrupted = false;
    return this.attempt;
  }

  /** How long it took. */
  end({ outcome, neverBegan }: EventOf<'attempt.ended'>['data'], at: number): number {
    const took = at - (this.attempt?.startedAt ?? at);
    this.tookMs = (this.tookMs ?? 0) + took;
    this.#isInterrupted = outcome === 'interrupted' && neverBegan !== true;
    return took;
  }

  said(last: string | undefined): void {
    if (this.attempt !== undefined && last !== undefined) this.attempt = { ...this.attempt, last };
  }
}
