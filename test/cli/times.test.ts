import { expect, test } from 'vitest';
import { clockText, dayText, momentText, spanText, whenText } from '../../src/interfaces/cli/output/time.ts';

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];

test.each([
  [-5, '0ms'],
  [999, '999ms'],
  [second, '1.0s'],
  [9_999, '9.9s'],
  [10 * second, '10s'],
  [minute - 1, '59s'],
  [minute, '1m 00s'],
  [hour - 1, '59m 59s'],
  [hour, '1h 00m'],
  [day - 1, '23h 59m'],
  [day, '1d 0h'],
  [3 * day + 4 * hour, '3d 4h'],
])('%i ms are told as %s', (ms, text) => {
  expect(spanText(ms)).toBe(text);
});

test.each([
  [0, 'just now'],
  [999, 'just now'],
  [second, '1s ago'],
  [minute, '1m ago'],
  [hour, '1h ago'],
  [day, '1d ago'],
  [-second, 'in 1s'],
  [-2 * day, 'in 2d'],
])('what was %i ms before now is told as %s', (ms, text) => {
  expect(whenText(10 * day - ms, 10 * day)).toBe(text);
});

test('a moment is told by the calendar and the clock of this place', () => {
  const at = new Date(2026, 0, 5, 7, 8, 9).getTime();
  expect(dayText(at)).toBe('2026-01-05');
  expect(clockText(at)).toBe('07:08:09');
  expect(momentText(at)).toBe('2026-01-05 07:08:09');
});
