import { expect, onTestFinished, test, vi } from 'vitest';
import { manualClock, systemClock } from '../../src/base/index.ts';
import { workflow } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { openPiton } from '../support/open-piton.ts';

/** Timers stand still while a machine sleeps, and go on afterwards as if nothing had been: only the date has changed. */
function sleepingMachine(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => vi.setSystemTime(Date.now() + ms);
}

const minute = 60_000;

test('what was to be done while the machine slept is done half a minute after it wakes, at the latest', async () => {
  const sleepFor = sleepingMachine();
  let isOver = false;
  void systemClock.sleep(8 * 60 * minute).then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(minute);
  sleepFor(10 * 60 * minute);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(minute / 2);
  expect(isOver).toBe(true);
});

test('a wait is not over before its time, nor by being longer than a timer can be', async () => {
  sleepingMachine();
  let isOver = false;
  void systemClock.sleep(30 * 24 * 60 * minute).then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(30 * 24 * 60 * minute - 1);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isOver).toBe(true);
});

test('a clock that is set back makes no wait longer', async () => {
  const setClock = sleepingMachine();
  let isOver = false;
  void systemClock.sleep(5 * minute).then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(minute);
  setClock(-60 * minute);
  await vi.advanceTimersByTimeAsync(4 * minute - 1);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isOver).toBe(true);
});

test('a wait that is given up ends at once', async () => {
  const giveUp = new AbortController();
  const slept = systemClock.sleep(minute, giveUp.signal);
  giveUp.abort();
  await expect(slept).resolves.toBeUndefined();
  await expect(systemClock.sleep(minute, giveUp.signal)).resolves.toBeUndefined();
});

test('a driver that nobody asks for anything looks at its clock every half a minute: set back, it delays nothing', async () => {
  const clock = manualClock();
  const piton = await openPiton({ clock });
  const told: string[] = [];
  piton.observe(({ type }) => told.push(type));
  const retry = { attempts: 2, backoff: '1m', jitter: 0 };
  const flow = workflow('flow').task('flaky', { retry }, ({ attempt }) => {
    if (attempt === 1) throw new Error('not yet');
    return 'done';
  });
  const run = await piton.start(flow, { id: 'r' });
  await eventually('it waits', () => told.includes('task.delayed'));
  const result = run.result();
  clock.jump(-24 * 60 * minute);
  clock.advance(minute / 2);
  await eventually('the jump is noticed', () => told.includes('clock.jumped'), 5_000);
  clock.advance(minute);
  expect(await result).toMatchObject({ status: 'succeeded', outputs: { flaky: 'done' } });
});
