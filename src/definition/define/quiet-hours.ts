import type { UsageLimits } from '../../model/index.ts';
import type { Finding, Path } from '../problems.ts';
import type { UsageLimitsDraft } from '../workflow-draft.ts';

type QuietHours = NonNullable<UsageLimits['quietHours']>;
type Given = NonNullable<UsageLimitsDraft['quietHours']>;

const minutesOfDay = 1_440;
const remedy = 'Write when they begin and when they end: `22:00-07:00`.';

export function checkQuietHours(given: Given, at: Path): Finding[] {
  const hours = typeof given === 'string' ? read(given) : given;
  if (hours === undefined) return [{ at, message: `\`${given as string}\` are no hours of a day.`, remedy }];
  const wrong = [hours.from, hours.to].find((minutes) => !isOfDay(minutes));
  if (wrong !== undefined) {
    const text = typeof given === 'string' ? `In \`${given}\` there` : `There`;
    return [{ at, message: `${text} is a time that no day has.`, remedy }];
  }
  if (hours.from !== hours.to) return [];
  return [{ at, message: 'Quiet hours that end when they begin would never end, or never begin.', remedy }];
}

/** Of what has been checked. */
export function quietHoursOf(given: Given): QuietHours {
  return typeof given === 'string' ? read(given)! : { from: given.from, to: given.to };
}

/** Undefined if it does not look like hours at all; a time that no day has is no number. */
function read(text: string): QuietHours | undefined {
  const match = /^\s*(\d{1,2}):(\d{2})\s*[-–]\s*(\d{1,2}):(\d{2})\s*$/.exec(text);
  if (match === null) return undefined;
  const [, fromHour, fromMinute, toHour, toMinute] = match;
  const to = minutes(toHour!, toMinute!);
  // The end of a day is the beginning of the next.
  return { from: minutes(fromHour!, fromMinute!), to: to === minutesOfDay ? 0 : to };
}

function minutes(hour: string, minute: string): number {
  return Number(minute) < 60 ? Number(hour) * 60 + Number(minute) : Number.NaN;
}

function isOfDay(minutes: number): boolean {
  return Number.isInteger(minutes) && minutes >= 0 && minutes < minutesOfDay;
}
