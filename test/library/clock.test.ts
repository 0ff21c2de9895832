import { expect, test } from 'vitest';
import { manualClock, workflow } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { latch, openPiton } from '../support/open-piton.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

test('a machine that slept has not used up the time a task may take, and the journal tells of the sleep', async () => {
  const clock = manualClock();
  const piton = await openPiton({ clock });
  const begun = latch();
  const flow = workflow('flow').task('slow', { timeout: '1m' }, async ({ signal }) => {
    begun.open();
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
  });
  const run = await piton.start(flow, { id: 'r' });
  await begun.opened;
  clock.jump(day);
  await eventually('the jump is noticed', async () => {
    const { seq } = await run.checkpoint();
    return seq > 1;
  });
  expect((await run.checkpoint()).tasks['slow']).toMatchObject({ status: 'running' });
  clock.advance(minute);

  expect(await run.result()).toMatchObject({ status: 'failed' });
  const events = await Array.fromAsync(run.events());
  expect(events.filter(({ type }) => type === 'clock.jumped')).toMatchObject([{ data: { ms: day } }]);
  expect((await run.checkpoint()).tasks['slow']).toMatchObject({ error: { code: 'TIMEOUT' } });
});

test('a clock that is set back does not put off what was to be tried again in a minute', async () => {
  const clock = manualClock();
  const piton = await openPiton({ clock });
  let attempts = 0;
  const retry = { attempts: 2, backoff: '1m', jitter: 0 };
  const flow = workflow('flow').task('flaky', { retry }, () => {
    if (++attempts === 1) throw new Error('not yet');
    return 'done';
  });
  const run = await piton.start(flow, { id: 'r' });
  await eventually('it waits', async () => (await run.checkpoint()).tasks['flaky']!.status === 'delayed');
  clock.jump(-day);
  // Timers are looked at again every half a minute at least.
  clock.advance(minute / 2);
  await eventually('the jump is noticed', async () => {
    const { until } = (await run.checkpoint()).tasks['flaky']!;
    return until !== undefined && until < clock.now() + minute;
  });
  clock.advance(minute);

  expect(await run.result()).toMatchObject({ status: 'succeeded', outputs: { flaky: 'done' } });
});
