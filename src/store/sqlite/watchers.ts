import type { Connection } from './connection.ts';

const pollMs = 50;
/** Whoever waits for something that will never be written has to hear of it. */
const pollsPerLook = 20;

/** Tells listeners, within a poll, that another connection has committed something. */
export class Watchers {
  readonly #connection: Connection;
  readonly #listeners = new Set<() => void>();
  #poll: NodeJS.Timeout | undefined;
  #seenVersion: unknown;
  #polls = 0;

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
    const isGone = this.#polls++ % pollsPerLook === 0 && !this.#connection.isThere();
    if (version === this.#seenVersion && !isGone) return;
    this.#seenVersion = version;
    for (const listener of this.#listeners) listener();
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
