/** When a usage limit ends, out of what the CLIs and the model interfaces say about it. */
import { isTimeZone, momentOf, nextTimeOfDay, wallTimeAt } from './wall-clock.ts';

export interface ResetClock {
  readonly now: number;
  readonly timeZone?: string | undefined;
}

/** No limit of any subscription lasts longer; what says so was read wrongly. */
const longestMs = 40 * 86_400_000;

/** In milliseconds since 1970; undefined if the text does not say, or nothing believable. */
export function resetTime(text: string, clock: ResetClock): number | undefined {
  for (const read of [timestamp, dateAndTime, span, timeOfDay]) {
    const moment = believable(read(text, clock), clock);
    if (moment !== undefined) return moment;
  }
  return undefined;
}

/** Seconds or milliseconds since 1970, whichever makes sense. */
export function momentOfEpoch(value: number): number | undefined {
  if (!Number.isFinite(value) || value < 1e9) return undefined;
  return value < 1e11 ? value * 1_000 : value;
}

/** Some tell the minute only, and it may be this one. */
const precisionMs = 60_000;

/**
 * Undefined if no limit ends then. One that was over before the agent was started, and yet is in force, was told by
 * another clock than ours: to believe it would mean to ask again at once, and again.
 */
export function believable(moment: number | undefined, { now }: ResetClock): number | undefined {
  if (moment === undefined || !Number.isFinite(moment)) return undefined;
  return moment >= now - precisionMs && moment <= now + longestMs ? moment : undefined;
}

const iso = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:Z|UTC|[+-]\d\d:?\d\d)`;
const isoPattern = new RegExp(
  String.raw`\b(?:reset|again|until|available|retry|after)[^\n]{0,40}?(${iso})`,
  'i',
);

/** `…|1699999999`, `"resetsAt": 1699999999`, `resets at 2026-11-15T03:00:00Z`; not the time of a log's line. */
function timestamp(text: string): number | undefined {
  const epoch = /(?:\||reset\w*["']?\s*[:=]\s*["']?)(\d{10}(?:\d{3})?)(?!\d)/i.exec(text)?.[1];
  if (epoch !== undefined) return momentOfEpoch(Number(epoch));
  const written = isoPattern.exec(text)?.[1];
  if (written === undefined) return undefined;
  const moment = Date.parse(written.replace(/\s?UTC$/, 'Z'));
  return Number.isNaN(moment) ? undefined : moment;
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const clockTime = String.raw`(\d{1,2})(?::(\d\d))?(?::\d\d)?\s*([ap])?\.?(?:m\b\.?)?`;
const zone = String.raw`\s*(?:\(?(UTC|GMT|[A-Z][A-Za-z_]+(?:\/[A-Za-z_+\-0-9]+)+)\)?)?`;
const announced = String.raw`(?:resets?|reset at|again|available|until|after|retry)(?: (?:at|on|by))?:?\s+`;

const datePattern = new RegExp(
  String.raw`\b(${monthNames.join('|')})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}))?,?(?: at)? ${clockTime}${zone}`,
  'i',
);

/** `Oct 6, 1pm (Europe/Vienna)`, `Nov 17th, 2026 3:38 AM`. */
function dateAndTime(text: string, clock: ResetClock): number | undefined {
  const found = datePattern.exec(text);
  if (found === null) return undefined;
  const time = timeOf(found.slice(4, 7));
  if (time === undefined) return undefined;
  const timeZone = zoneOf(found[7], clock);
  const day = { month: monthNames.indexOf(found[1]!.toLowerCase()) + 1, day: Number(found[2]), ...time };
  const { year } = wallTimeAt(clock.now, timeZone);
  if (found[3] !== undefined) return momentOf({ year: Number(found[3]), ...day }, timeZone);
  // Without a year the next one may be meant, at the end of December.
  const thisYear = momentOf({ year, ...day }, timeZone);
  return believable(thisYear, clock) ?? momentOf({ year: year + 1, ...day }, timeZone);
}

const unitMs: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milli)/i, 1],
  [/^s/i, 1_000],
  [/^m/i, 60_000],
  [/^h/i, 3_600_000],
  [/^d/i, 86_400_000],
  [/^w/i, 604_800_000],
];
const amount = String.raw`(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)(?![a-z])`;
const spanPattern = new RegExp(
  String.raw`(?:\b(?:in|after|within)|retry.?(?:delay|after)["']?\s*[:=]?)\s*["']?((?:${amount}[\s,]*(?:and )?)+)`,
  'i',
);
const amountPattern = new RegExp(amount, 'gi');

/** `in 2 days 3 hours`, `retry in 12.3s`, `"retryDelay": "36s"`, `retry-after: 20`. */
function span(text: string, { now }: ResetClock): number | undefined {
  const found = spanPattern.exec(text)?.[1];
  if (found === undefined) return bareSeconds(text, now);
  return Math.ceil(
    now + sum([...found.matchAll(amountPattern)].map(([, count, unit]) => spanMs(count!, unit!))),
  );
}

function bareSeconds(text: string, now: number): number | undefined {
  const found = /retry.?after(-ms)?["']?\s*[:=]?\s*["']?(\d+(?:\.\d+)?)/i.exec(text);
  return found === null
    ? undefined
    : Math.ceil(now + Number(found[2]) * (found[1] === undefined ? 1_000 : 1));
}

function spanMs(count: string, unit: string): number {
  return Number(count) * (unitMs.find(([pattern]) => pattern.test(unit))?.[1] ?? 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

const timePattern = new RegExp(`\\b${announced}${clockTime}${zone}`, 'i');

/** `try again at 3:38 AM.`, `resets 3am (Europe/Vienna)`: the next time clocks show it. */
function timeOfDay(text: string, clock: ResetClock): number | undefined {
  const found = timePattern.exec(text);
  const time = found === null ? undefined : timeOf(found.slice(1, 4));
  if (time === undefined) return undefined;
  return nextTimeOfDay(time, { now: clock.now, timeZone: zoneOf(found![4], clock) });
}

/** A number alone is no time of day: it needs minutes, or to be said to be in the morning or afternoon. */
function timeOf([hours, minutes, half]: readonly (string | undefined)[]):
  { hour: number; minute: number } | undefined {
  const minute = Number(minutes ?? 0);
  const hour = Number(hours);
  if (minute > 59 || (minutes === undefined && half === undefined)) return undefined;
  if (half === undefined) return hour > 23 ? undefined : { hour, minute };
  if (hour < 1 || hour > 12) return undefined;
  return { hour: (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0), minute };
}

function zoneOf(said: string | undefined, { timeZone }: ResetClock): string | undefined {
  return said !== undefined && isTimeZone(said) ? said : timeZone;
}
