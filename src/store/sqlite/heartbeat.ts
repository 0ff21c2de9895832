import { Worker } from 'node:worker_threads';
import { programFile } from '../../base/index.ts';

/** What the heartbeat's thread needs to know of a lease. */
export interface HeldLease {
  readonly name: string;
  readonly token: string;
  readonly leaseMs: number;
  readonly expiresAt: number;
  /** The store's clock minus the machine's, so that the thread reckons in the store's time. */
  readonly clockOffsetMs: number;
}

export type HeartbeatOrder =
  | { readonly type: 'hold'; readonly lease: HeldLease; readonly freed: readonly string[] }
  | { readonly type: 'drop'; readonly token: string }
  | { readonly type: 'stop' };

/** Tokens of leases that turned out not to be ours any longer. */
export interface HeartbeatReport {
  readonly lost: readonly string[];
}

const longestDelayMs = 1_000;

/**
 * Renews the leases of one store from a thread of its own, so that a blocked event loop does not lose them.
 * It is started before work under the first lease may begin, which could block the event loop at once, but not with the
 * lease: starting a thread slows down the recovery of a run by half. It never keeps the process alive.
 */
export class Heartbeat {
  readonly #file: string;
  readonly #onLost: (token: string) => void;
  readonly #held = new Map<string, HeldLease>();
  /** Tokens that the thread has not been told of yet. */
  #freed: string[] = [];
  #worker: Worker | undefined;
  /** Set while there is a lease to be renewed and no thread. */
  #startLater: NodeJS.Timeout | undefined;

  constructor(file: string, onLost: (token: string) => void) {
    this.#file = file;
    this.#onLost = onLost;
  }

  hold(lease: HeldLease): void {
    this.#held.set(lease.token, lease);
    if (this.#worker === undefined) {
      const delay = Math.min(longestDelayMs, lease.leaseMs / 4);
      this.#startLater ??= setTimeout(() => this.startIfDue(), delay).unref();
    } else {
      this.#order({ type: 'hold', lease, freed: this.#freed });
      this.#freed = [];
    }
  }

  /** Called before work begins under a lease that was taken. */
  startIfDue(): void {
    if (this.#startLater === undefined) return;
    clearTimeout(this.#startLater);
    this.#startLater = undefined;
    if (this.#held.size > 0) this.#start();
  }

  /** The store says already that nobody has it: it cannot be renewed, so telling can wait until there is more to tell. */
  dropFreed(token: string): void {
    if (this.#held.delete(token)) this.#freed.push(token);
  }

  /** No longer renewed, and not reported as lost even if a report is on its way. */
  drop(token: string): void {
    if (this.#held.delete(token)) this.#order({ type: 'drop', token });
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    clearTimeout(this.#startLater);
    this.#startLater = undefined;
    this.#held.clear();
    if (worker === undefined) return;
    // Whoever awaits this must not be left hanging by a process that ends because nothing else keeps it alive.
    worker.ref();
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    this.#order({ type: 'stop' });
    await ended;
  }

  #start(): void {
    this.#freed = [];
    const worker = new Worker(programFile('store/sqlite/heartbeat-worker'), {
      workerData: { file: this.#file, leases: [...this.#held.values()] },
      execArgv: [],
    });
    worker.on('message', ({ lost }: HeartbeatReport) => this.#report(lost));
    worker.on('error', (error) =>
      process.emitWarning(`The lease heartbeat of ${this.#file} died: ${error.message}`),
    );
    // Leases of a dead thread expire, which stops their drivers; the next lease taken starts a new thread for all of them.
    worker.on('exit', () => (this.#worker = undefined));
    // After the listeners: adding one for messages makes the thread count again.
    worker.unref();
    this.#worker = worker;
  }

  #report(lost: readonly string[]): void {
    for (const token of lost) if (this.#held.delete(token)) this.#onLost(token);
  }

  #order(order: HeartbeatOrder): void {
    this.#worker?.postMessage(order);
  }
}
