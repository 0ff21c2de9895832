const longestWaitMs = 1_000;

/** Remembers one ring until somebody waits for it. Rings by itself now and then, which also keeps the process alive. */
export class Bell {
  #hasRung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  async wait(): Promise<void> {
    const timer = setTimeout(() => this.ring(), longestWaitMs);
    if (!this.#hasRung) await new Promise<void>((resolve) => (this.#wake = resolve));
    clearTimeout(timer);
    this.#hasRung = false;
  }
}
