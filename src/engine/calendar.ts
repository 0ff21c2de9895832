import { nextTimeOfDay, wallTimeAt } from '../agents/index.ts';
import type { UsageLimits } from '../model/index.ts';

/** Of this machine's calendar: `2026-11-15`. */
export function dayOf(moment: number): string {
  const { year, month, day } = wallTimeAt(moment);
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

export function endOfDay(moment: number): number {
  return nextTimeOfDay({ hour: 0, minute: 0 }, { now: moment });
}

/** The first moment from then on that is not within these hours of the day. They may reach over midnight. */
export function afterQuietHours(
  moment: number,
  { from, to }: NonNullable<UsageLimits['quietHours']>,
): number {
  const { hour, minute } = wallTimeAt(moment);
  const now = hour * 60 + minute;
  const isQuiet = from < to ? now >= from && now < to : now >= from || now < to;
  if (!isQuiet) return moment;
  return nextTimeOfDay({ hour: Math.floor(to / 60), minute: to % 60 }, { now: moment });
}
