import { expect, test } from 'vitest';
import { anywhere, cutOff, DamagedStore, flipped } from './damaged-bytes.ts';

test('a byte flipped anywhere in a store of twenty runs has no effect, or is refused or repaired as it should be', async () => {
  const store = await DamagedStore.make({ hasLog: false });
  const size = store.size('piton.db');
  const damages = [
    ...anywhere(30, size).map((at) => flipped('piton.db', at, at % 8)),
    ...anywhere(5, size).map((length) => cutOff('piton.db', length)),
  ];
  for (const damage of damages) expect(await store.harmOf(damage)).toEqual([]);
});

test('the log of a store of twenty runs, cut off anywhere, leaves what was', async () => {
  const store = await DamagedStore.make({ hasLog: true });
  for (const length of anywhere(8, store.size('piton.db-wal')))
    expect(await store.harmOf(cutOff('piton.db-wal', length))).toEqual([]);
});
