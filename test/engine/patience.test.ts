import { expect, test } from 'vitest';
import { manualClock, PitonError } from '../../src/base/index.ts';
import { isPassing, patiently } from '../../src/engine/patience.ts';
import { eventually } from '../support/eventually.ts';

function patience(signal = new AbortController().signal) {
  const clock = manualClock();
  const told: (string | undefined)[] = [];
  return { clock, signal, told, stalled: (reason: string | undefined) => void told.push(reason) };
}

test.each(['STORE_FULL', 'STORE_BUSY', 'STORE_FAILED', 'STORE_UNCERTAIN'])(
  '%s passes: it is tried again, less and less often, and told until it works',
  async (code) => {
    const given = patience();
    let tries = 0;
    const done = patiently(given, async () => {
      if (++tries < 4) throw new PitonError(code, 'not now');
      return 'written';
    });
    for (const [count, ms] of [
      [1, 100],
      [2, 200],
      [3, 400],
    ] as const) {
      await eventually(`try ${count}`, () => tries === count && given.told.length === count);
      given.clock.advance(ms - 1);
      expect(tries).toBe(count);
      given.clock.advance(1);
    }
    expect(await done).toBe('written');
    expect(given.told).toEqual(['not now', 'not now', 'not now', undefined]);
  },
);

test('what does not pass is thrown at once', async () => {
  const given = patience();
  await expect(
    patiently(given, () => Promise.reject(new PitonError('LEASE_LOST', 'gone'))),
  ).rejects.toMatchObject({
    code: 'LEASE_LOST',
  });
  expect(given.told).toEqual([]);
  expect(isPassing(new Error('STORE_FULL'))).toBe(false);
});

test('whoever is stopping waits no longer', async () => {
  const stopping = new AbortController();
  const given = patience(stopping.signal);
  const done = patiently(given, () => Promise.reject(new PitonError('STORE_FULL', 'no room')));
  await eventually('it waits', () => given.told.length === 1);
  stopping.abort();
  await expect(done).rejects.toMatchObject({ code: 'STORE_FULL' });
});
