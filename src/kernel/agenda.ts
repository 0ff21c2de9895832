import { Heap } from '../base/index.ts';

/** What has an order of starting. */
interface Ordered {
  readonly spec: { readonly priority: number };
  readonly order: number;
}

/**
 * What planning has to look at next, kept up to date by the fold so that a decision does not search.
 * Entries may be stale (a task cancelled meanwhile): whoever takes one looks at the task first.
 */
export class Agenda<Task extends Ordered> {
  /** Tasks whose needs have settled: run, skip, expand or open? */
  readonly undecided = new Queue<string>();
  /** Tasks to be cancelled unless they run or have settled. */
  readonly doomed = new Queue<string>();
  /** Tasks with items or a scope of their own, all of which have settled. */
  readonly concluded = new Queue<string>();
  /** Graph scopes (by owner) whose visit has settled, or that have just been opened. */
  readonly moving = new Queue<string>();
  /** Tasks in the middle of their work (done, but not checked; checked, and to be revised): before others take their place. */
  readonly continued = new Queue<string>();
  /** Tasks that will start as soon as limits allow. */
  readonly ready = new Heap<Task>(byPriority);
  readonly delayed = new Heap<{ readonly until: number; readonly address: string }>(
    (a, b) => a.until - b.until,
  );
  /** Tasks that are delayed because of a breaker, by resource. */
  readonly waiting = new Map<string, Set<string>>();
  /** Locks and limits by name. */
  readonly limits = new Map<string, Limit<Task>>();
  readonly lanes = new Map<string, Lane<Task>>();
  /** Where each task that was parked waits, or was called from. */
  readonly waitsIn = new Map<string, Lane<Task>>();
}

function byPriority(a: Ordered, b: Ordered): number {
  return b.spec.priority - a.spec.priority || a.order - b.order;
}

/** First in, first out, each in constant time. */
export class Queue<T> {
  #items: T[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  take(): T | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head++];
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}

/** Tasks that need the same limits: if the first of them must wait, so must all. */
export class Lane<Task extends Ordered> {
  readonly limits: readonly Limit<Task>[];
  readonly waiting = new Heap<Task>(byPriority);
  /** The limit it waits for. Undefined: nobody waits, or the one whose turn it is, is among the ready. */
  parkedAt: Limit<Task> | undefined;

  constructor(limits: readonly Limit<Task>[]) {
    this.limits = limits;
  }
}

/** A counted resource, and who waits for it. */
export class Limit<Task extends Ordered> {
  readonly capacity: number;
  used = 0;
  /** By the first task of each lane. Stale once the lane has moved or has another first. */
  readonly parked = new Heap<{ readonly lane: Lane<Task>; readonly first: Task }>((a, b) =>
    byPriority(a.first, b.first),
  );

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get isFree(): boolean {
    return this.used < this.capacity;
  }
}
