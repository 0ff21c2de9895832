import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readLimit, resetTime } from '../../src/agents/index.ts';
import { propertyRuns } from '../support/property-runs.ts';

const now = Date.parse('2026-11-15T08:00:00Z');
const utc = { now, timeZone: 'UTC' };
const at = (iso: string): number => Date.parse(iso);

describe('when a limit ends', () => {
  test.each([
    ['Claude AI usage limit reached|1794740400', 1_794_740_400_000],
    ['{"resetsAt":1794740400}', 1_794_740_400_000],
    ['resets_at=1794740400123', 1_794_740_400_123],
    ["You've hit your session limit · resets 3am", at('2026-11-16T03:00:00Z')],
    ["You've hit your limit · resets 10:50pm (UTC)", at('2026-11-15T22:50:00Z')],
    ["You've hit your limit · resets 3pm (Europe/Vienna)", at('2026-11-15T14:00:00Z')],
    ["You've hit your weekly limit · resets Nov 18, 1pm (America/New_York)", at('2026-11-18T18:00:00Z')],
    ['Your limit will reset at 12am.', at('2026-11-16T00:00:00Z')],
    ['Limit resets 12:30pm', at('2026-11-15T12:30:00Z')],
    ['You’ve hit your usage limit. Try again at 3:38 AM.', at('2026-11-16T03:38:00Z')],
    ['or try again at 9:24 AM.', at('2026-11-15T09:24:00Z')],
    ['or try again at Nov 17th, 2026 3:38 AM.', at('2026-11-17T03:38:00Z')],
    ['Try again in 2 days 3 hours 5 minutes.', now + (2 * 24 * 60 + 3 * 60 + 5) * 60_000],
    ['Please try again in 20s. Visit …', now + 20_000],
    ['Please try again in 6m0.5s.', now + 360_500],
    ['Please try again in 250ms', now + 250],
    ['You exceeded your quota. Please retry in 12.3s.', now + 12_300],
    ['[API Error: You exceeded your quota.\nSuggested retry after 3600s.]', now + 3_600_000],
    ['"retryDelay": "36s"', now + 36_000],
    ['{"retry-after":"20"}', now + 20_000],
    ['retry-after-ms: 1500', now + 1_500],
    ['Retry-After: 120', now + 120_000],
    ['available again at 14:05', at('2026-11-15T14:05:00Z')],
    ['quota resets at 2026-11-15T20:00:00Z', at('2026-11-15T20:00:00Z')],
    ['quota resets at 2026-11-15 20:00 +02:00', at('2026-11-15T18:00:00Z')],
  ])('is read from: %s', (text, moment) => {
    expect(resetTime(text, utc)).toBe(moment);
  });

  test.each([
    'You have exhausted your daily quota on this model.',
    'API Error: Request rejected (429)',
    'Please try again later.',
    'try again at 99:99 XM',
    'resets 13pm',
    'resets at 5',
    'timestamp=2026-11-15T09:26:57.944Z level=ERROR quota',
    'usage limit reached|1000000000',
    'try again in 900 days',
    'there are 3 models in 2 regions',
    '',
  ])('is not made up from: %s', (text) => {
    expect(resetTime(text, utc)).toBeUndefined();
  });

  test('is in the year to come at the turn of the year', () => {
    const clock = { now: at('2026-12-31T23:00:00Z'), timeZone: 'UTC' };
    expect(resetTime('resets Jan 2, 1am', clock)).toBe(at('2027-01-02T01:00:00Z'));
  });

  test('is right on the days when clocks change', () => {
    const spring = { now: at('2026-03-28T20:00:00Z'), timeZone: 'Europe/Vienna' };
    expect(resetTime('try again at 4:00 AM', spring)).toBe(at('2026-03-29T02:00:00Z'));
    const autumn = { now: at('2026-10-24T20:00:00Z'), timeZone: 'Europe/Vienna' };
    expect(resetTime('try again at 4:00 AM', autumn)).toBe(at('2026-10-25T03:00:00Z'));
  });

  test('is right when the clocks change between now and then, days ahead', () => {
    const march = { now: at('2026-03-25T12:00:00Z'), timeZone: 'UTC' };
    const weekly = "You've hit your weekly limit · resets";
    expect(resetTime(`${weekly} Mar 28, 4am (Europe/Vienna)`, march)).toBe(at('2026-03-28T03:00:00Z'));
    expect(resetTime(`${weekly} Mar 30, 4am (Europe/Vienna)`, march)).toBe(at('2026-03-30T02:00:00Z'));
    const october = { now: at('2026-10-29T12:00:00Z'), timeZone: 'America/New_York' };
    expect(resetTime('try again at Nov 2nd, 2026 9:00 AM.', october)).toBe(at('2026-11-02T14:00:00Z'));
  });

  test('is not before its time, where the clocks skip it or show it twice', () => {
    const spring = { now: at('2026-03-28T20:00:00Z'), timeZone: 'Europe/Vienna' };
    // From 2:00 they go to 3:00: there is no 2:30.
    expect(resetTime('resets 2:30am', spring)).toBe(at('2026-03-29T01:30:00Z'));
    const autumn = { now: at('2026-10-24T20:00:00Z'), timeZone: 'Europe/Vienna' };
    // Whoever asked at the first 2:30 might be told to come at the second.
    expect(resetTime('resets 2:30am', autumn)).toBe(at('2026-10-25T01:30:00Z'));
    const between = { now: at('2026-10-25T00:45:00Z'), timeZone: 'Europe/Vienna' };
    expect(resetTime('resets 2:30am', between)).toBe(at('2026-10-25T01:30:00Z'));
  });

  test('may be the minute that has just begun, but no time that was over before', () => {
    const late = { now: now + 30_000, timeZone: 'UTC' };
    expect(resetTime('resets Nov 15, 8:00am', late)).toBe(now);
    expect(resetTime('{"resetsAt":1794726000}', utc)).toBeUndefined();
    expect(resetTime('quota resets at 2026-11-15T07:30:00Z', utc)).toBeUndefined();
  });

  test('the zone that is said goes before the one we are in, and an unknown one is ignored', () => {
    const tokyo = { now, timeZone: 'Asia/Tokyo' };
    expect(resetTime('resets 6pm (UTC)', tokyo)).toBe(at('2026-11-15T18:00:00Z'));
    expect(resetTime('resets 6pm (Mars/Olympus)', tokyo)).toBe(at('2026-11-15T09:00:00Z'));
  });
});

const zones = [
  'UTC',
  'Europe/Vienna',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
];
const anyClock = fc.record({
  now: fc.integer({ min: at('2024-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') }),
  timeZone: fc.constantFrom(...zones),
});

/** What a clock on the wall of that place shows. */
function shownAt(moment: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(moment);
}

describe('of times of day', () => {
  test('the moment found shows that time, lies ahead, and within 25 hours', () => {
    const property = fc.property(anyClock, fc.nat(23), fc.nat(59), (clock, hour, minute) => {
      const half = hour < 12 ? 'AM' : 'PM';
      const text = `try again at ${hour % 12 || 12}:${String(minute).padStart(2, '0')} ${half}.`;
      const moment = resetTime(text, clock)!;
      expect(moment).toBeGreaterThan(clock.now);
      expect(moment - clock.now).toBeLessThanOrEqual(25 * 3_600_000);
      const wanted = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
      // A time that the clocks skip that day exists nowhere: then a neighbouring one is as good.
      const isThere = shownAt(moment, clock.timeZone) === wanted;
      expect(isThere || offsetChanges(moment, clock.timeZone)).toBe(true);
    });
    fc.assert(property, { numRuns: propertyRuns });
  });

  test('spans are added to now, whatever their units', () => {
    const units = {
      ms: 1,
      s: 1_000,
      seconds: 1_000,
      m: 60_000,
      minutes: 60_000,
      h: 3_600_000,
      hours: 3_600_000,
      days: 86_400_000,
    };
    const property = fc.property(
      anyClock,
      fc.constantFrom(...Object.entries(units)),
      fc.integer({ min: 1, max: 30 }),
      (clock, [unit, ms], count) => {
        expect(resetTime(`try again in ${count} ${unit}.`, clock)).toBe(clock.now + count * ms);
      },
    );
    fc.assert(property, { numRuns: propertyRuns });
  });

  test('whatever the text, nothing is thrown, and what is found is believable', () => {
    const words = fc.constantFrom(
      'resets',
      'try again',
      'at',
      'in',
      '3',
      ':',
      'am',
      'PM',
      'Nov',
      '17th,',
      '2026',
      '|',
      '1794740400',
      'retry-after',
      '99',
      '(UTC)',
      'days',
      '12.3s',
      '\n',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(words).map((list) => list.join(' ')),
    );
    const property = fc.property(text, anyClock, (said, clock) => {
      const moment = resetTime(said, clock);
      if (moment === undefined) return;
      expect(moment).toBeGreaterThanOrEqual(clock.now - 60_000);
      expect(moment).toBeLessThanOrEqual(clock.now + 40 * 86_400_000);
    });
    fc.assert(property, { numRuns: propertyRuns });
  });

  test('a long text costs little time', () => {
    const started = performance.now();
    resetTime('retry in 1 2 3 resets at '.repeat(20_000), utc);
    resetTime(`try again in ${'1 day '.repeat(20_000)}`, utc);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

function offsetChanges(moment: number, timeZone: string): boolean {
  const offset = (at: number): string =>
    new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).format(at).split(', ').at(-1)!;
  return offset(moment - 7_200_000) !== offset(moment + 7_200_000);
}

test('a limit is recognised in what a silent CLI writes on standard error, and nothing else is', () => {
  expect(readLimit('AI_APICallError: Rate limit exceeded, try again in 20s', utc)).toMatchObject({
    until: now + 20_000,
  });
  expect(readLimit('Failed to fetch models: Unable to connect', utc)).toBeUndefined();
});
