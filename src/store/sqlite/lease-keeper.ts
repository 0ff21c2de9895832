import type { Clock } from '../../base/index.ts';
import type { Lease } from '../../model/index.ts';
import { Heartbeat } from './heartbeat.ts';

/** The leases this store holds: renewed while they are in here, and reported once when they are lost. */
export class LeaseKeeper {
  readonly #clock: Clock;
  readonly #heartbeat: Heartbeat;
  readonly #kept = new Map<string, Lease>();
  readonly #listeners = new Set<(lease: Lease) => void>();

  constructor(file: string, clock: Clock) {
    this.#clock = clock;
    this.#heartbeat = new Heartbeat(file, (token) => this.#reportLost(token));
  }

  get kept(): readonly Lease[] {
    return [...this.#kept.values()];
  }

  keep(lease: Lease): void {
    this.#kept.set(lease.token, lease);
    this.#heartbeat.hold({
      name: lease.name,
      token: lease.token,
      leaseMs: lease.expiresAt - lease.takenAt,
      expiresAt: lease.expiresAt,
      clockOffsetMs: this.#clock.now() - Date.now(),
    });
  }

  /** From now on somebody may work under the leases that are kept. */
  workBegins(): void {
    this.#heartbeat.startIfDue();
  }

  /** It was given back in the store. */
  forgetFreed(token: string): void {
    if (this.#kept.delete(token)) this.#heartbeat.dropFreed(token);
  }

  forget(token: string): void {
    if (this.#kept.delete(token)) this.#heartbeat.drop(token);
  }

  onLost(listener: (lease: Lease) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** From now on nothing is renewed; the leases themselves are the caller's to free. */
  async stop(): Promise<void> {
    await this.#heartbeat.stop();
  }

  #reportLost(token: string): void {
    const lease = this.#kept.get(token);
    if (lease === undefined) return;
    this.#kept.delete(token);
    for (const listener of this.#listeners) listener(lease);
  }
}
