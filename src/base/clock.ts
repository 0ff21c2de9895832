/** Time as the engine sees it; `manualClock` lets tests advance it instead of sleeping. */
export interface Clock {
  /** Wall-clock milliseconds since 1970. */
  now(): number;
  /** Milliseconds that only go forward, at the pace of time, and stand still while the machine sleeps. */
  elapsed(): number;
  /** Resolves when `ms` have passed by either of the two, or when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** setTimeout overflows past 2^31 ms and then fires at once, and a suspended machine stops it: look at the clock again. */
const longestSleepMs = 30_000;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  async sleep(ms, signal) {
    const [until, elapsed] = [Date.now() + ms, performance.now() + ms];
    // By the date alone, a clock that is set back would make it longer; by what has elapsed, a machine that sleeps.
    const left = (): number => Math.min(until - Date.now(), elapsed - performance.now());
    while (left() > 0 && signal?.aborted !== true) await pause(Math.min(left(), longestSleepMs), signal);
  },
};

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** A clock that stands still until a test moves it. Whoever sleeps by it wakes when their time has come. */
export interface ManualClock extends Clock {
  /** Lets time pass, on the wall and for whoever sleeps. */
  advance(ms: number): void;
  /** The wall clock alone: the machine slept, or somebody set the clock. */
  jump(ms: number): void;
}

/** A clock for tests, at `start`, in milliseconds since 1970. */
export function manualClock(start = 1_800_000_000_000): ManualClock {
  let now = start;
  let elapsed = 0;
  const sleepers = new Set<{ until: number; elapsed: number; wake: () => void }>();
  const jump = (ms: number): void => {
    now += ms;
    for (const sleeper of Array.from(sleepers)) {
      if (sleeper.until > now && sleeper.elapsed > elapsed) continue;
      sleepers.delete(sleeper);
      sleeper.wake();
    }
  };
  return {
    now: () => now,
    elapsed: () => elapsed,
    jump,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (ms <= 0 || signal?.aborted) return resolve();
        const sleeper = { until: now + ms, elapsed: elapsed + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => (sleepers.delete(sleeper), resolve()), { once: true });
      }),
    advance(ms) {
      elapsed += ms;
      jump(ms);
    },
  };
}
