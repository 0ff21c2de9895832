import type { CheckpointPolicy, Event, EventType } from '../model/index.ts';

/**
 * Why a checkpoint was made. `task`: so many had settled; `gate`: one was opened or decided; `timer`: the time of the policy was up; `manual`:
 * a function asked for it; `forced`: something began or ended that others act upon, whatever the policy.
 */
export interface CheckpointCause {
  readonly cause: 'task' | 'gate' | 'timer' | 'manual' | 'forced';
  /** Whose event it was, or whose function asked. */
  readonly task?: string;
}

/** What has happened and is not durable yet. With the default policy it is emptied at every transition. */
export class CheckpointBuffer {
  #events: Event[] = [];
  #settled = 0;
  #isForced = false;
  /** Why it was asked for, if no event has made it due. */
  #asked: CheckpointCause | undefined;
  /** Of the first event in it, and so of all: a commit has one time. */
  #since: number | undefined;
  readonly #policy: CheckpointPolicy['every'];

  constructor({ every }: CheckpointPolicy) {
    this.#policy = every;
  }

  get events(): readonly Event[] {
    return this.#events;
  }

  /** The time that events added now get. */
  timeOf(now: number): number {
    if (this.#since === undefined || this.#events.length === 0) this.#since = now;
    return this.#since;
  }

  add(events: readonly Event[]): void {
    for (const event of events) {
      this.#events.push(event);
      if (settling.has(event.type)) this.#settled++;
      if (forcing.has(event.type)) this.#isForced = true;
    }
  }

  /** It is due, whatever the policy. */
  force(cause: CheckpointCause): void {
    this.#isForced = true;
    this.#asked ??= cause;
  }

  /** What made it due: the first event that did, else whoever asked for it, else the time. */
  get cause(): CheckpointCause {
    let settled = 0;
    for (const event of this.#events) {
      if (settling.has(event.type)) settled++;
      const cause = this.#causeIn(event, settled);
      if (cause !== undefined) return 'task' in event ? { cause, task: event.task! } : { cause };
    }
    return this.#asked ?? { cause: this.dueAt === undefined ? 'forced' : 'timer' };
  }

  #causeIn({ type }: Event, settled: number): CheckpointCause['cause'] | undefined {
    if (gates.has(type)) return 'gate';
    const isCounted = typeof this.#policy === 'object' && 'tasks' in this.#policy;
    if (isCounted && settling.has(type) && settled >= this.#policy.tasks) return 'task';
    return forcing.has(type) ? 'forced' : undefined;
  }

  isDue(now: number): boolean {
    if (this.#events.length === 0) return false;
    if (this.#isForced) return true;
    if (typeof this.#policy === 'string') return false;
    return 'tasks' in this.#policy
      ? this.#settled >= this.#policy.tasks || this.#policy.tasks === 1
      : now >= this.dueAt!;
  }

  /** When time alone makes it due. */
  get dueAt(): number | undefined {
    if (this.#events.length === 0 || typeof this.#policy === 'string' || 'tasks' in this.#policy) {
      return undefined;
    }
    return this.#since! + this.#policy.ms;
  }

  clear(): void {
    this.#events = [];
    this.#settled = 0;
    this.#isForced = false;
    this.#asked = undefined;
    this.#since = undefined;
  }
}

const gates = new Set<EventType>(['gate.opened', 'gate.decided']);
const settling = new Set<EventType>(['task.succeeded', 'task.failed', 'task.skipped', 'task.cancelled']);

/** What others act upon, or a person sees: never kept back, whatever the policy. */
const forcing = new Set<EventType>([
  'run.created',
  'run.paused',
  'run.resumed',
  'run.succeeded',
  'run.failed',
  'run.cancelled',
  'run.repaired',
  'lease.taken',
  'drift.accepted',
  'command.decided',
  'cancel.requested',
  'attempt.spawned',
  'attempt.recovered',
  'session.opened',
  'transcript.added',
  'gate.opened',
  'gate.decided',
  'tasks.reopened',
  'breaker.opened',
  'breaker.closed',
  'clock.jumped',
  'task.held',
  'budget.raised',
  'task.released',
  'task.delayed',
]);
