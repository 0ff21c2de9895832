import type { RunState } from '../kernel/index.ts';
import { lastWordOf, type RunEvent } from '../model/index.ts';
import { taskCounts } from './task-counts.ts';
import { TaskMemory } from './task-memory.ts';

/** What whoever drives the run now has found, by address. */
export interface Found {
  /** Settled when the driver came: it did not touch them. */
  readonly settledBefore: number;
  readonly adopted: ReadonlySet<string>;
  readonly harvested: ReadonlySet<string>;
  readonly restarted: ReadonlySet<string>;
}

type AttemptEvent = Extract<RunEvent, { readonly attempt: string }>;

/** What is worth telling of a run while it is watched, and is not in its state. */
export class RunMemory {
  readonly #tasks = new Map<string, TaskMemory>();
  #drivenSince = 0;
  #settledBefore = 0;
  #adopted = new Set<string>();
  #harvested = new Set<string>();
  #restarted = new Set<string>();
  #mostRunning = 0;
  readonly #ended = { count: 0, totalMs: 0 };
  /** The first attempt of which something was told that needs to be told once. */
  readonly #firsts = new Map<string, string>();

  /** To be told before the event is folded. */
  meetDriver({ data, at }: Extract<RunEvent, { type: 'lease.taken' }>, before: RunState | undefined): void {
    if (data.epoch > 1) this.#drivenSince = at;
    this.#settledBefore = taskCounts(before).settled;
    this.#adopted = new Set();
    this.#harvested = new Set();
    this.#restarted = new Set();
  }

  /** `state`: after the event. */
  remember(event: RunEvent, state: RunState): void {
    switch (event.type) {
      case 'run.created':
        this.#drivenSince = event.at;
        return;
      case 'gate.opened':
        this.#of(event.task).asked = event.data.call;
        return;
      case 'tasks.reopened':
        this.#reopen(event.data.tasks, state);
        return;
      case 'attempt.started':
        this.#begin(event, state);
        return;
      default:
        if ('attempt' in event) this.#rememberAttempt(event as AttemptEvent);
    }
  }

  #rememberAttempt(event: AttemptEvent): void {
    switch (event.type) {
      case 'attempt.recovered':
        (event.data.how === 'adopted' ? this.#adopted : this.#harvested).add(event.task);
        return;
      case 'attempt.ended':
        this.#end(event);
        return;
      case 'transcript.added':
        this.#of(event.task).said(lastWordOf(event.data));
        return;
      case 'attempt.spawned':
        this.#first(`sandbox ${event.data.sandbox ?? ''}`, event.attempt);
        this.#meetVersion(event);
        return;
      case 'session.opened':
        this.#meetVersion(event);
    }
  }

  #begin(
    { task, attempt, at, data }: Extract<RunEvent, { type: 'attempt.started' }>,
    { counts }: RunState,
  ): void {
    const begun = this.#of(task).begin(attempt, data, at);
    if (begun.isAgain) this.#restarted.add(task);
    this.#mostRunning = Math.max(this.#mostRunning, counts.running);
  }

  #end({ task, at, data }: Extract<RunEvent, { type: 'attempt.ended' }>): void {
    const took = this.#of(task).end(data, at);
    if (data.outcome === 'interrupted') {
      // It left no result.
      this.#harvested.delete(task);
      return;
    }
    this.#ended.count++;
    this.#ended.totalMs += took;
  }

  /** What came of them (items, visits, tasks of their own) will come anew. */
  #reopen(tasks: readonly string[], state: RunState): void {
    // A thousand may be reopened at once: each address is looked up by what it lies in, not compared with all of them.
    const reopened = new Set(tasks);
    const isInside = (address: string): boolean =>
      reopened.has(address) ||
      Array.from(address.matchAll(/[.[]/g)).some(({ index }) => reopened.has(address.slice(0, index)));
    for (const address of this.#tasks.keys()) if (isInside(address)) this.#tasks.delete(address);
    this.#settledBefore = Math.min(this.#settledBefore, taskCounts(state).settled);
  }

  #meetVersion({
    task,
    attempt,
    data,
  }: Extract<RunEvent, { type: 'attempt.spawned' | 'session.opened' }>): void {
    const agent = this.#of(task).attempt?.agent;
    if (agent !== undefined && data.version !== undefined)
      this.#first(`version ${agent} ${data.version}`, attempt);
  }

  #first(what: string, attempt: string): void {
    if (!this.#firsts.has(what)) this.#firsts.set(what, attempt);
  }

  #of(task: string): TaskMemory {
    const known = this.#tasks.get(task) ?? new TaskMemory();
    this.#tasks.set(task, known);
    return known;
  }

  task(address: string): TaskMemory | undefined {
    return this.#tasks.get(address);
  }

  /** Whether that attempt is the first with this sandbox (`sandbox <name>`), or version (`version <agent> <version>`). */
  isFirst(what: string, attempt: string): boolean {
    return this.#firsts.get(what) === attempt;
  }

  /** When whoever drives it now began to. */
  get drivenSince(): number {
    return this.#drivenSince;
  }

  get found(): Found {
    return {
      settledBefore: this.#settledBefore,
      adopted: this.#adopted,
      harvested: this.#harvested,
      restarted: this.#restarted,
    };
  }

  /** Attempts that came to their end, for estimates. */
  get ended(): { readonly count: number; readonly totalMs: number } {
    return this.#ended;
  }

  get mostRunning(): number {
    return this.#mostRunning;
  }
}
