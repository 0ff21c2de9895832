import type { Connection } from './connection.ts';

const pollMs = 50;

/** Tells listeners that something was committed: at once after our own commits, within a poll after those of others. */
export class Watchers {
  readonly #connection: Connection;
  readonly #listeners = new Set<() => void>();
  #poll: NodeJS.Timeout | undefined;
  #seenVersion: unknown;
  #isDue = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  add(listener: () => void): () => void {
    // Wrapped, so that the same function given twice is two listeners.
    const entry = (): void => listener();
    this.#listeners.add(entry);
    this.#startPolling();
    return () => {
      this.#listeners.delete(entry);
      if (this.#listeners.size === 0) this.#stopPolling();
    };
  }

  /** Coalesced: however many commits a turn brings, each listener is called once. */
  notify(): void {
    if (this.#isDue || this.#listeners.size === 0) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      for (const listener of this.#listeners) listener();
    });
  }

  close(): void {
    this.#listeners.clear();
    this.#stopPolling();
  }

  #startPolling(): void {
    if (this.#poll !== undefined) return;
    this.#seenVersion = this.#version();
    this.#poll = setInterval(() => this.#look(), pollMs);
    this.#poll.unref();
  }

  #stopPolling(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  #look(): void {
    const version = this.#version();
    if (version === this.#seenVersion) return;
    this.#seenVersion = version;
    this.notify();
  }

  /** Changes when another connection has committed; constant while it cannot be read, to be looked at again in the next poll. */
  #version(): unknown {
    try {
      return this.#connection.statements.dataVersion.get()?.['data_version'];
    } catch {
      return this.#seenVersion;
    }
  }
}
