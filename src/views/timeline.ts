import type { EventOf, RunEvent } from '../model/index.ts';
import { Attempts, type AttemptView } from './attempts.ts';

/** What ran when, who drove it, and what became of the work of those that died. */
export interface Timeline {
  readonly drives: readonly DriveView[];
  /** Times in which nobody drove the run, though it had not ended. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
  readonly attempts: readonly AttemptView[];
}

/** The time that one process drove the run, or did something to it while nobody drove it, such as a merge. */
export interface DriveView {
  readonly epoch: number;
  readonly host: string;
  readonly pid: number;
  readonly from: number;
  /** Of its last commit. */
  readonly to: number;
  /**
   * `finished`: the run had ended. `died`: it left attempts under way, because it was killed, or stopped without waiting for them. `let-go`:
   * it left nothing under way. `last`: nobody has come after it.
   */
  readonly end: 'finished' | 'died' | 'let-go' | 'last';
  /** The attempts that it left under way, and what those who came later made of each. */
  readonly left: readonly LeftAttempt[];
}

/** An attempt that a driver left behind when it died, and what became of it. */
export interface LeftAttempt {
  readonly attempt: string;
  readonly task: string;
  /**
   * `adopted`: it was alive, and went on. `harvested`: it had ended, and its result was taken. `interrupted`: it had left no result.
   * `never-began`: nothing was done. `unknown`: nobody has come to it yet.
   */
  readonly fate: 'adopted' | 'harvested' | 'interrupted' | 'never-began' | 'unknown';
}

interface Left extends LeftAttempt {
  fate: LeftAttempt['fate'];
}

interface Drive extends DriveView {
  to: number;
  end: DriveView['end'];
  left: readonly Left[];
}

/** Puts the timeline of a run together. It must be told every event, from the first on. */
export class TimelineReader {
  readonly #attempts = new Attempts();
  readonly #drives: Drive[] = [];
  readonly #gaps: { readonly from: number; readonly to: number }[] = [];
  /** By attempt: who has begun it or taken it up. */
  readonly #underWay = new Map<string, { readonly task: string; readonly drive: Drive | undefined }>();
  /** What was left, and nobody has ended yet, by attempt. */
  readonly #left = new Map<string, Left>();
  #isOver = false;

  add(event: RunEvent): void {
    this.#attempts.add(event);
    const last = this.#drives.at(-1);
    if (event.type === 'lease.taken') this.#meetDriver(event);
    // Who repairs a journal, or brings it elsewhere, comes when the driver is gone.
    else if (last !== undefined && !isAfterDriver(event)) last.to = event.at;
    this.#follow(event);
  }

  get timeline(): Timeline {
    const drives = this.#drives.map((drive) => ({ ...drive, left: drive.left.map((left) => ({ ...left })) }));
    const last = drives.at(-1);
    if (last !== undefined && this.#isOver) last.end = 'finished';
    return { drives, gaps: [...this.#gaps], attempts: this.#attempts.list() };
  }

  #meetDriver({ at, data: { epoch, host, pid } }: Extract<RunEvent, { type: 'lease.taken' }>): void {
    const last = this.#drives.at(-1);
    if (last !== undefined) this.#conclude(last, at);
    this.#drives.push({ epoch, host, pid, from: at, to: at, end: 'last', left: [] });
  }

  #conclude(drive: Drive, next: number): void {
    drive.left = Array.from(this.#underWay)
      .filter(([, underWay]) => underWay.drive === drive)
      .map(([attempt, { task }]) => ({ attempt, task, fate: 'unknown' }));
    for (const left of drive.left) this.#left.set(left.attempt, left);
    if (this.#isOver) drive.end = 'finished';
    else drive.end = drive.left.length > 0 ? 'died' : 'let-go';
    if (!this.#isOver && next > drive.to) this.#gaps.push({ from: drive.to, to: next });
  }

  #follow(event: RunEvent): void {
    switch (event.type) {
      case 'attempt.started':
        this.#takeUp(event);
        return;
      case 'attempt.recovered':
        this.#settle(event.attempt, event.data.how);
        this.#takeUp(event);
        return;
      case 'attempt.ended':
        this.#settle(event.attempt, fateAtEnd(event.data));
        this.#underWay.delete(event.attempt);
        this.#left.delete(event.attempt);
        return;
      case 'tasks.reopened':
        this.#isOver = false;
        return;
      case 'run.succeeded':
      case 'run.failed':
      case 'run.cancelled':
        this.#isOver = true;
    }
  }

  #takeUp({ attempt, task }: { readonly attempt: string; readonly task: string }): void {
    this.#underWay.set(attempt, { task, drive: this.#drives.at(-1) });
  }

  /** What was taken for a result may turn out to be none; what has gone on has. */
  #settle(attempt: string, fate: LeftAttempt['fate']): void {
    const left = this.#left.get(attempt);
    if (left !== undefined && left.fate !== 'adopted') left.fate = fate;
  }
}

function fateAtEnd({ outcome, neverBegan }: EventOf<'attempt.ended'>['data']): LeftAttempt['fate'] {
  if (neverBegan === true) return 'never-began';
  return outcome === 'interrupted' || outcome === 'cancelled' ? 'interrupted' : 'harvested';
}

function isAfterDriver({ type }: RunEvent): boolean {
  return type === 'run.repaired' || type === 'run.imported';
}
