import { expect, onTestFinished, test } from 'vitest';
import { sha256, systemClock } from '../../src/base/index.ts';
import { loadRun } from '../../src/engine/load-run.ts';
import { workflow } from '../../src/index.ts';
import type { Snapshot, Store } from '../../src/store/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { openPiton } from '../support/open-piton.ts';

/** A run that has succeeded and left a snapshot, and its store with another snapshot in place of that. */
async function ended(url: string) {
  const piton = await openPiton({ store: url });
  const flow = workflow('flow', { checkpoint: { preserve: false } }).task('a', () => 'right');
  await (await piton.start(flow, { id: 'r' })).result();
  await piton.close();
  const store = await openMemoryStore(url, { durability: 'full', clock: systemClock });
  onTestFinished(() => store.close());
  const snapshot = (await store.loadSnapshot('r', Infinity))!;
  const withSnapshot = (change: Partial<Snapshot>): Store => insteadOf(store, { ...snapshot, ...change });
  return { snapshot, withSnapshot };
}

function insteadOf(store: Store, snapshot: Snapshot): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'loadSnapshot') return async () => snapshot;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

async function outputIn(store: Store): Promise<unknown> {
  const { state } = await loadRun(store, 'r');
  const life = state.tasks.get('a')!.life;
  return 'output' in life ? life.output : undefined;
}

test('a snapshot saves the work of folding, and is believed as far as it is what was written', async () => {
  const { snapshot, withSnapshot } = await ended('memory:snapshots');
  const content = snapshot.text.slice(64).replaceAll('right', 'wrong');
  const sealed = sha256(content) + content;

  expect(await outputIn(withSnapshot({})), 'as it is').toBe('right');
  expect(await outputIn(withSnapshot({ text: sealed })), 'it is what is read').toBe('wrong');
  expect(await outputIn(withSnapshot({ text: snapshot.text.slice(0, 64) + content })), 'changed').toBe(
    'right',
  );
  expect(await outputIn(withSnapshot({ text: sealed, hash: 'of another commit' })), 'of another').toBe(
    'right',
  );
  expect(await outputIn(withSnapshot({ text: sealed, format: -1 })), 'of another version').toBe('right');
});
