import type { Clock } from '../base/index.ts';
import type { Event } from '../model/index.ts';

/** Less than this is a clock being corrected, not a jump. */
const smallestJumpMs = 5_000;

/** Notices when the wall clock goes otherwise than time: the machine slept, or somebody set the clock. */
export class ClockWatch {
  readonly #clock: Clock;
  #difference: number;

  /** `lastAt`: of the last commit. Before that it cannot be, unless the clock was set back while nobody drove the run. */
  constructor(clock: Clock, lastAt: number) {
    this.#clock = clock;
    this.#difference = Math.max(clock.now(), lastAt) - clock.elapsed();
  }

  /** What has happened since the last look. */
  look(): Event[] {
    const difference = this.#clock.now() - this.#clock.elapsed();
    const ms = Math.round(difference - this.#difference);
    if (Math.abs(ms) < smallestJumpMs) return [];
    this.#difference = difference;
    return [{ type: 'clock.jumped', data: { ms } }];
  }
}
