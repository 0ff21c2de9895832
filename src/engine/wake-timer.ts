import type { Clock } from '../base/index.ts';
import type { RunState } from '../kernel/index.ts';

/** Timers are looked at again at least so often: a sleeping machine or a changed clock must not lose one. */
const longestWaitMs = 30_000;
const roomCheckMs = 1_000;
/** Whether somebody who has a session is still there. */
const lentCheckMs = 2_000;

export function longestWait({ lent }: RunState, isStalled: boolean): number {
  if (isStalled) return roomCheckMs;
  return Object.keys(lent).length > 0 ? lentCheckMs : longestWaitMs;
}

/** One timer is enough: the one that is due first. It also keeps the process alive. */
export class WakeTimer {
  readonly #clock: Clock;
  readonly #wake: () => void;
  #set: { readonly at: number; readonly cancel: AbortController } | undefined;

  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Wakes then, unless it wakes earlier. */
  setFor(at: number): void {
    if (this.#set !== undefined && this.#set.at <= at) return;
    this.cancel();
    const set = { at, cancel: new AbortController() };
    this.#set = set;
    void this.#clock.sleep(Math.max(at - this.#clock.now(), 0), set.cancel.signal).then(() => {
      if (this.#set !== set) return;
      this.#set = undefined;
      this.#wake();
    });
  }

  cancel(): void {
    // With a reason, because the one that would be made instead is an error with a stack.
    this.#set?.cancel.abort('not needed any more');
  }
}
