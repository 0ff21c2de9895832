import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { workflow } from '../../src/index.ts';
import type { Store } from '../../src/store/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { latch, openPiton } from '../support/open-piton.ts';

/** The store, of which one operation waits for something before it is done. */
async function delayed(url: string, operation: keyof Store, until: () => Promise<unknown>): Promise<Store> {
  const inner = await openMemoryStore(url, { durability: 'full', clock: systemClock });
  return new Proxy(inner, {
    get(store, name) {
      const value: unknown = Reflect.get(store, name);
      if (typeof value !== 'function') return value;
      if (name !== operation) return value.bind(store) as unknown;
      return async (...given: unknown[]) => {
        await until();
        return (value as (...all: unknown[]) => unknown).apply(store, given);
      };
    },
  });
}

test('whoever asks for a run whose driver is letting go of it gets a driver of its own, which goes on', async () => {
  const [leaving, mayLeave] = [latch(), latch()];
  // Its last words: with `preserve: false` a driver tidies up after the end of its run.
  const store = await delayed('memory:', 'saveSnapshot', () => (leaving.open(), mayLeave.opened));
  const piton = await openPiton({ store });
  let times = 0;
  const flow = workflow('flow', { checkpoint: { preserve: false } }).task('a', () => ++times);
  await piton.start(flow, { id: 'r' });
  await leaving.opened;

  const resuming = piton.resume(flow, 'r', { redo: ['a'], rerunSucceeded: true });
  mayLeave.open();
  expect(await (await resuming).result()).toMatchObject({ status: 'succeeded', outputs: { a: 2 } });
});

test('a run that ended while its lease was waited for is found ended: nothing is written behind its end', async () => {
  const url = 'memory:ended-meanwhile';
  const first = await openPiton({ store: url });
  const [begun, mayEnd] = [latch(), latch()];
  const flow = workflow('flow').task('a', () => (begun.open(), mayEnd.opened.then(() => 'once')));
  const run = await first.start(flow, { id: 'r' });
  await begun.opened;
  // Who resumes it has seen that it runs, and asks for its lease; in that moment it ends.
  const store = await delayed(url, 'takeLease', async () => {
    mayEnd.open();
    await run.result();
    await first.close();
  });
  const second = await openPiton({ store });

  expect(await (await second.resume(flow, 'r', { takeover: true })).result()).toMatchObject({
    outputs: { a: 'once' },
  });
  const events = await Array.fromAsync((await second.find('r')).events());
  expect(events.at(-1)).toMatchObject({ type: 'run.succeeded' });
  expect(events.filter(({ type }) => type === 'lease.taken')).toHaveLength(1);
});

test('a driver that was replaced lets go of what it runs, though nothing happens in it', async () => {
  const url = 'memory:replaced';
  const [first, second] = [await openPiton({ store: url }), await openPiton({ store: url })];
  const [begun, stopped] = [latch(), latch<string>()];
  const flow = workflow('flow').task('a', ({ signal, attempt }) => {
    if (attempt > 1) return 'second';
    begun.open();
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        stopped.open('stopped');
        reject(new Error('stopped'));
      });
    });
  });
  await first.start(flow, { id: 'r' });
  await begun.opened;

  expect(await (await second.resume(flow, 'r', { takeover: true })).result()).toMatchObject({
    outputs: { a: 'second' },
  });
  expect(await stopped.opened).toBe('stopped');
});

test('a resume that is refused leaves the run to others', async () => {
  const url = 'memory:refused';
  const first = await openPiton({ store: url });
  const begun = latch();
  const flow = workflow('flow').task('a', ({ attempt, signal }) => {
    if (attempt > 1) return 'gone on';
    begun.open();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
  });
  await first.start(flow, { id: 'r' });
  await begun.opened;
  await first.close();
  const [second, third] = [await openPiton({ store: url }), await openPiton({ store: url })];
  const changed = workflow('flow').task('a', { version: '2' }, () => 'changed');

  await expect(second.resume(changed, 'r')).rejects.toMatchObject({ code: 'RUN_CHANGED' });
  expect(await (await third.resume(flow, 'r')).result()).toMatchObject({ outputs: { a: 'gone on' } });
});
