/** Clock times of a time zone, as moments. */

export interface WallTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

const dayMs = 86_400_000;

/** What clocks of the zone show at a moment. An unknown zone counts as this machine's. */
export function wallTimeAt(moment: number, timeZone?: string): WallTime {
  const parts = Object.fromEntries(
    formatFor(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year, month, day, hour, minute } = parts as unknown as WallTime;
  return { year, month, day, hour, minute };
}

/** The moment at which clocks of the zone show this. Where they skip it, the first moment after the gap or before. */
export function momentOf(wall: WallTime, timeZone?: string): number {
  const asUtc = utcOf(wall);
  // The offset at the guess may differ from the one at the answer, on the days the clocks change.
  const first = asUtc - offsetAt(asUtc, timeZone);
  return asUtc - offsetAt(first, timeZone);
}

/** The next moment after `now` at which clocks of the zone show this time of day. */
export function nextTimeOfDay(
  time: { readonly hour: number; readonly minute: number },
  { now, timeZone }: { readonly now: number; readonly timeZone?: string | undefined },
): number {
  const today = wallTimeAt(now, timeZone);
  for (const days of [0, 1]) {
    const { year, month, day } = wallTimeAt(utcOf({ ...today, hour: 12, minute: 0 }) + days * dayMs, 'UTC');
    const moment = momentOf({ year, month, day, ...time }, timeZone);
    if (moment > now) return moment;
  }
  return momentOf({ ...today, ...time }, timeZone) + dayMs;
}

export function isTimeZone(name: string): boolean {
  try {
    void new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function offsetAt(moment: number, timeZone: string | undefined): number {
  return utcOf(wallTimeAt(moment, timeZone)) - Math.floor(moment / 60_000) * 60_000;
}

function utcOf({ year, month, day, hour, minute }: WallTime): number {
  return Date.UTC(year, month - 1, day, hour, minute);
}

function formatFor(timeZone: string | undefined): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    ...(timeZone !== undefined && isTimeZone(timeZone) && { timeZone }),
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
}
