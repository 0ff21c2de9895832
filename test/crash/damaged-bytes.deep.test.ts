import { expect, test } from 'vitest';
import { anywhere, cutOff, DamagedStore, flipped, type Damage } from './damaged-bytes.ts';

async function harmOf(store: DamagedStore, damages: readonly Damage[]): Promise<string[]> {
  const harm: string[] = [];
  for (const damage of damages) harm.push(...(await store.harmOf(damage)));
  return harm;
}

test('a byte flipped at 1,000 places of a store of twenty runs has no effect, or is refused or repaired as it should be', async () => {
  const store = await DamagedStore.make({ hasLog: false });
  const size = store.size('piton.db');
  const places = anywhere(1_000, size).map((at) => flipped('piton.db', at, at % 8));
  expect(await harmOf(store, places)).toEqual([]);
});

test('the database and its log, cut off at 200 lengths, show what was, or are refused', async () => {
  const store = await DamagedStore.make({ hasLog: true });
  const log = 'piton.db-wal';
  const lengths = [
    ...anywhere(100, store.size('piton.db')).map((length) => cutOff('piton.db', length)),
    ...anywhere(100, store.size(log)).map((length) => cutOff(log, length)),
  ];
  expect(await harmOf(store, lengths)).toEqual([]);
});
