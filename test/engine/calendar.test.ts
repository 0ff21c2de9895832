import { describe, expect, test, vi } from 'vitest';
import { afterQuietHours, dayOf, endOfDay } from '../../src/engine/calendar.ts';

const at = (text: string): number => new Date(text).getTime();
const night = { from: 22 * 60, to: 7 * 60 };
const noon = { from: 12 * 60, to: 13 * 60 + 30 };

describe('quiet hours', () => {
  test.for([
    ['over midnight, before it', night, '2026-11-15T23:10:00', '2026-11-16T07:00:00'],
    ['over midnight, after it', night, '2026-11-16T03:00:00', '2026-11-16T07:00:00'],
    ['at their first minute', night, '2026-11-15T22:00:00', '2026-11-16T07:00:00'],
    ['at noon', noon, '2026-11-15T12:59:00', '2026-11-15T13:30:00'],
  ] as const)('%s are waited for until they end', ([, hours, moment, end]) => {
    expect(afterQuietHours(at(moment), hours)).toBe(at(end));
  });

  test.for([
    ['before', night, '2026-11-15T21:59:59'],
    ['at their end', night, '2026-11-16T07:00:00'],
    ['between', noon, '2026-11-15T14:00:00'],
  ] as const)('are over %s', ([, hours, moment]) => {
    expect(afterQuietHours(at(moment), hours)).toBe(at(moment));
  });

  test('end when the clocks say so, also where they were changed that night', () => {
    vi.stubEnv('TZ', 'Europe/Vienna');
    expect(new Date(afterQuietHours(at('2026-03-29T00:30:00+01:00'), night)).toISOString()).toBe(
      '2026-03-29T05:00:00.000Z',
    );
    vi.unstubAllEnvs();
  });
});

test('a day is one of the local calendar, and ends at its midnight', () => {
  expect(dayOf(at('2026-01-05T23:59:59'))).toBe('2026-01-05');
  expect(endOfDay(at('2026-01-05T23:59:59'))).toBe(at('2026-01-06T00:00:00'));
  expect(endOfDay(at('2026-01-05T00:00:00'))).toBe(at('2026-01-06T00:00:00'));
});
