import { systemClock, type Clock } from '../../base/index.ts';
import type { Lease } from '../../model/index.ts';
import { Heartbeat } from './heartbeat.ts';

/** The leases this store holds: renewed while they are in here, and reported once when they are lost. */
export class LeaseKeeper {
  readonly #clock: Clock;
  readonly #heartbeat: Heartbeat;
  readonly #kept = new Map<string, Lease>();
  readonly #listeners = new Set<(lease: Lease) => void>();
  readonly #heartbeatListeners = new Set<(trouble: string | undefined) => void>();

  constructor(file: string, clock: Clock) {
    this.#clock = clock;
    this.#heartbeat = new Heartbeat(file, {
      lost: (key) => this.#reportLost(key),
      changed: (trouble) => this.#heartbeatListeners.forEach((listener) => listener(trouble)),
    });
  }

  get kept(): readonly Lease[] {
    return [...this.#kept.values()];
  }

  keep(lease: Lease): void {
    const key = keyOf(lease);
    this.#kept.set(key, lease);
    this.#heartbeat.hold({
      key,
      name: lease.name,
      token: lease.token,
      leaseMs: lease.expiresAt - lease.takenAt,
      expiresAt: lease.expiresAt,
      clockOffsetMs: this.#clock.now() - systemClock.now(),
    });
  }

  /** From now on somebody may work under the leases that are kept. */
  workBegins(): void {
    this.#heartbeat.startIfDue();
  }

  /** It was given back in the store. */
  forgetFreed(lease: Named): void {
    const key = keyOf(lease);
    if (this.#kept.delete(key)) this.#heartbeat.dropFreed(key);
  }

  forget(lease: Named): void {
    const key = keyOf(lease);
    if (this.#kept.delete(key)) this.#heartbeat.drop(key);
  }

  onLost(listener: (lease: Lease) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  onHeartbeat(listener: (trouble: string | undefined) => void): () => void {
    this.#heartbeatListeners.add(listener);
    return () => void this.#heartbeatListeners.delete(listener);
  }

  /** From now on nothing is renewed; the leases themselves are the caller's to free. */
  async stop(): Promise<void> {
    await this.#heartbeat.stop();
  }

  #reportLost(key: string): void {
    const lease = this.#kept.get(key);
    if (lease === undefined) return;
    this.#kept.delete(key);
    for (const listener of this.#listeners) listener(lease);
  }
}

type Named = Pick<Lease, 'name' | 'token'>;

function keyOf({ name, token }: Named): string {
  return `${token} ${name}`;
}
