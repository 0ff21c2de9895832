/** Laws of what keeps tasks waiting for something outside: people who are asked, and resources that are out of order. */
import type { Event } from '../../src/model/index.ts';

export class WaitingWatcher {
  readonly #breach: (what: string) => void;
  readonly #resourcesOf: (task: string) => readonly string[];
  readonly #approved = new Set<string>();
  readonly #gates = new Map<string, string>();
  readonly #delayed = new Set<string>();
  readonly #breakers = new Map<string, { until: number; trial?: string }>();

  constructor(given: { breach(what: string): void; resourcesOf(task: string): readonly string[] }) {
    this.#breach = given.breach;
    this.#resourcesOf = given.resourcesOf;
  }

  isApproved(task: string): boolean {
    return this.#approved.has(task);
  }

  see(event: Event, at: number): void {
    if (event.type.startsWith('task.')) this.#seeTask(event as Event & { task: string }, at);
    else if (event.type.startsWith('gate.')) this.#seeGate(event);
    else if (event.type.startsWith('attempt.')) this.#seeAttempt(event, at);
    else this.#seeBreaker(event);
  }

  forget(task: string): void {
    for (const known of [this.#approved, this.#gates, this.#delayed]) known.delete(task);
  }

  #seeTask({ type, task }: Event & { task: string }, at: number): void {
    if (type === 'task.released' && this.#delayed.has(task)) this.#hasten(task, at);
    this.#gates.delete(task);
    this.#delayed.delete(task);
    if (type === 'task.delayed') this.#delayed.add(task);
  }

  #seeGate(event: Event): void {
    if (event.type === 'gate.opened') {
      if (this.#approved.has(event.task) || this.#gates.has(event.task)) this.#breach('asks twice');
      this.#gates.set(event.task, event.data.gate);
    } else if (event.type === 'gate.decided') {
      if (this.#gates.get(event.task) !== event.data.gate) this.#breach('answers what was not asked');
      this.#gates.delete(event.task);
      if (event.data.approved) this.#approved.add(event.task);
    }
  }

  #seeAttempt(event: Event, at: number): void {
    if (event.type === 'attempt.started') this.#use(event.task, at);
    if (event.type !== 'attempt.ended') return;
    for (const breaker of this.#breakers.values()) if (breaker.trial === event.task) delete breaker.trial;
  }

  #seeBreaker(event: Event): void {
    if (event.type === 'breaker.opened') {
      this.#breakers.set(event.data.resource, { until: event.data.until });
    } else if (event.type === 'breaker.closed') {
      if (!this.#breakers.delete(event.data.resource)) this.#breach('closes what is not open');
    } else if (event.type === 'clock.jumped') {
      for (const breaker of this.#breakers.values()) breaker.until += Math.min(event.data.ms, 0);
    }
  }

  /** A person wants it to be tried early. */
  #hasten(task: string, at: number): void {
    for (const resource of this.#resourcesOf(task)) {
      const breaker = this.#breakers.get(resource);
      if (breaker !== undefined) breaker.until = Math.min(breaker.until, at);
    }
  }

  #use(task: string, at: number): void {
    this.#delayed.delete(task);
    for (const resource of this.#resourcesOf(task)) {
      const breaker = this.#breakers.get(resource);
      if (breaker === undefined) continue;
      if (breaker.until > at) this.#breach(`uses ${resource}, whose breaker is open`);
      if (breaker.trial !== undefined) this.#breach(`uses ${resource}, which ${breaker.trial} tries`);
      breaker.trial = task;
    }
  }
}
