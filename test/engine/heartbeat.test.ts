import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { registerStore, workflow, type Definition, type Observation } from '../../src/index.ts';
import type { OpenStoreOptions, Store } from '../../src/store/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { eventually } from '../support/eventually.ts';
import { openPiton } from '../support/open-piton.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const listeners = new Set<(trouble: string | undefined) => void>();

/** A store whose heartbeat dies when the test says so, between any two steps of a driver. */
async function openFrail(url: string, options: OpenStoreOptions): Promise<Store> {
  const store = await openMemoryStore(url.replace('frail:', 'memory:'), options);
  return new Proxy(store, {
    get(target, name) {
      if (name === 'onHeartbeat') return (listener: () => void) => (listeners.add(listener), () => {});
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
registerStore('frail', openFrail);

const beat = (trouble?: string): void => listeners.forEach((listener) => listener(trouble));

/** Called when the attempt is durable, and before anything was done for it. */
async function scene(onStarted: () => void) {
  listeners.clear();
  const folder = temporaryFolder();
  const seen: Observation[] = [];
  const piton = await openPiton({ store: `frail:${folder}`, spool: join(folder, 'spool') });
  piton.observe((event) => {
    seen.push(event);
    if (event.type === 'attempt.started' && seen.filter(({ type }) => type === event.type).length === 1) {
      onStarted();
    }
  });
  const done = (): string[] => readFileSync(join(folder, 'done'), 'utf8').split('\n').filter(Boolean);
  const interrupted = (): Observation | undefined => seen.find(({ type }) => type === 'attempt.ended');
  return { folder, piton, done, interrupted };
}

test.each([
  ['a function that was about to be called is not', () => beat('no pulse'), 'function'],
  ['a command that was about to be prepared is not', () => beat('no pulse'), 'command'],
  ['a command that was being prepared is not started', () => setImmediate(() => beat('no pulse')), 'command'],
])('when the heartbeat dies, %s; it is when the heartbeat lives again', async (_, onStarted, kind) => {
  const { folder, piton, done, interrupted } = await scene(onStarted);
  const flow: Definition =
    kind === 'command'
      ? workflow('flow').command('task', { onInterrupt: 'ask' }, 'echo once >> done')
      : workflow('flow').task('task', { onInterrupt: 'ask' }, () =>
          appendFileSync(join(folder, 'done'), 'once\n'),
        );
  const run = await piton.start(flow, { id: 'run', origin: { directory: folder } });
  await eventually('the attempt ends', () => interrupted() !== undefined);
  expect(interrupted()).toMatchObject({
    data: { outcome: 'interrupted', reason: 'no pulse', neverBegan: true },
  });
  expect(() => done()).toThrow('ENOENT');
  expect(await run.status()).toBe('stalled');

  beat();
  expect(await run.result()).toMatchObject({ status: 'succeeded' });
  expect(done()).toEqual(['once']);
});

test('a run that is made without a heartbeat starts nothing', async () => {
  const { folder, piton, interrupted } = await scene(() => {});
  beat('no pulse');
  const flow = workflow('flow').task('task', () => systemClock.now());
  const run = await piton.start(flow, { id: 'run', origin: { directory: folder } });
  expect((await run.checkpoint()).tasks).toMatchObject({ task: { status: 'queued', attempts: 0 } });
  expect(interrupted()).toBeUndefined();
  beat();
  expect(await run.result()).toMatchObject({ status: 'succeeded' });
});
