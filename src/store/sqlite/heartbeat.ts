import { Worker } from 'node:worker_threads';
import { programFile } from '../../base/index.ts';

/** What the heartbeat's thread needs to know of a lease. */
export interface HeldLease {
  /** Of name and token: locks of one attempt have the same token. */
  readonly key: string;
  readonly name: string;
  readonly token: string;
  readonly leaseMs: number;
  readonly expiresAt: number;
  /** The store's clock minus the machine's, so that the thread reckons in the store's time. */
  readonly clockOffsetMs: number;
}

export type HeartbeatOrder =
  | { readonly type: 'hold'; readonly lease: HeldLease; readonly freed: readonly string[] }
  | { readonly type: 'drop'; readonly key: string }
  | { readonly type: 'stop' };

/** Keys of leases that turned out not to be ours any longer. The first, without any, says that the thread is at work. */
export interface HeartbeatReport {
  readonly lost: readonly string[];
}

export interface HeartbeatListener {
  lost(key: string): void;
  /** Why nothing is renewed at the moment; undefined when it is again. */
  changed(trouble: string | undefined): void;
}

const delayMs = 250;

/**
 * Renews the leases of one store from a thread of its own, so that a blocked event loop does not lose them.
 * It is started before work under the first lease may begin, which could block the event loop at once, but not with the
 * lease: starting a thread slows down the recovery of a run by half. It never keeps the process alive.
 */
export class Heartbeat {
  readonly #file: string;
  readonly #listener: HeartbeatListener;
  readonly #held = new Map<string, HeldLease>();
  /** Keys of what the thread has not been told of yet. */
  #freed: string[] = [];
  #worker: Worker | undefined;
  /** Set while there is a lease to be renewed and no thread. */
  #startLater: NodeJS.Timeout | undefined;
  #hasDied = false;
  #isInTrouble = false;

  constructor(file: string, listener: HeartbeatListener) {
    this.#file = file;
    this.#listener = listener;
  }

  hold(lease: HeldLease): void {
    this.#held.set(lease.key, lease);
    if (this.#worker !== undefined) {
      this.#order({ type: 'hold', lease, freed: this.#freed });
      this.#freed = [];
    } else if (lease.leaseMs < 4 * delayMs) this.#start();
    else this.#startSoon();
  }

  #startSoon(): void {
    this.#startLater ??= setTimeout(() => this.#start(), delayMs).unref();
  }

  /** Called before work begins under a lease that was taken. Where threads die, each commit would start another. */
  startIfDue(): void {
    if (this.#startLater !== undefined && !this.#hasDied) this.#start();
  }

  /** The store says already that nobody has it: it cannot be renewed, so telling can wait until there is more to tell. */
  dropFreed(key: string): void {
    if (this.#held.delete(key) && this.#worker !== undefined) this.#freed.push(key);
    if (this.#held.size === 0) this.#recovered();
  }

  /** No longer renewed, and not reported as lost even if a report is on its way. */
  drop(key: string): void {
    if (this.#held.delete(key)) this.#order({ type: 'drop', key });
    if (this.#held.size === 0) this.#recovered();
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#cancelStart();
    this.#held.clear();
    if (worker === undefined) return;
    // Whoever awaits this must not be left hanging by a process that ends because nothing else keeps it alive.
    worker.ref();
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    this.#order({ type: 'stop' });
    await ended;
  }

  #start(): void {
    this.#cancelStart();
    this.#freed = [];
    if (this.#held.size === 0) return;
    try {
      this.#worker = this.#newWorker();
    } catch (error) {
      this.#died(error as Error);
    }
  }

  #cancelStart(): void {
    clearTimeout(this.#startLater);
    this.#startLater = undefined;
  }

  #newWorker(): Worker {
    const worker = new Worker(programFile('store/sqlite/heartbeat-worker'), {
      workerData: { file: this.#file, leases: [...this.#held.values()] },
      execArgv: [],
    });
    worker.on('message', ({ lost }: HeartbeatReport) => this.#report(lost));
    worker.on('error', (error: Error) => this.#died(error));
    worker.on('exit', (code) => {
      if (this.#worker === worker) this.#died(new Error(`it ended with code ${code}`));
    });
    // After the listeners: adding one for messages makes the thread count again.
    worker.unref();
    return worker;
  }

  /** The system lacks something: threads, open files. Drivers start nothing until another lives. */
  #died(error: Error): void {
    this.#worker = undefined;
    if (this.#held.size === 0) return;
    if (!this.#hasDied) process.emitWarning(`The lease heartbeat of ${this.#file} died: ${error.message}`);
    this.#hasDied = true;
    this.#startSoon();
    if (this.#isInTrouble) return;
    this.#isInTrouble = true;
    this.#listener.changed(troubleOf(error));
  }

  #report(lost: readonly string[]): void {
    this.#recovered();
    for (const key of lost) if (this.#held.delete(key)) this.#listener.lost(key);
  }

  /** It lives, or there is nothing to be renewed. */
  #recovered(): void {
    if (!this.#isInTrouble) return;
    this.#isInTrouble = false;
    this.#listener.changed(undefined);
  }

  #order(order: HeartbeatOrder): void {
    this.#worker?.postMessage(order);
  }
}

function troubleOf({ message }: Error): string {
  return `the thread that renews its lease has died (${message}); nothing is started until another lives. If open files or threads are lacking, raise the limits (ulimit -n, ulimit -u) or end what uses them`;
}
