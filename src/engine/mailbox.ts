/** What happened outside, waiting for the driver. One reader. */
export class Mailbox<T> {
  #items: T[] = [];
  #wake: (() => void) | undefined;

  put(item: T): void {
    this.#items.push(item);
    this.poke();
  }

  /** Ends a wait without a letter: time has passed. */
  poke(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  drain(): T[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  /** Resolves at the next letter or poke; at once if there are letters. */
  wait(): Promise<void> {
    if (this.#items.length > 0) return Promise.resolve();
    return new Promise((resolve) => (this.#wake = resolve));
  }
}
