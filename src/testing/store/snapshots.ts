import { expect } from '../expect.ts';
import type { Snapshot } from '../../store/index.ts';
import { creation } from '../store-requests.ts';
import type { World } from './world.ts';

export function snapshotsContract(world: World): void {
  const { describe, test } = world.framework;
  describe('of snapshots,', () => {
    test('keeps the two newest and gives the newest that is not too new', async () => {
      await world.store.createRun(creation('r1'));
      for (const seq of [3, 9, 6]) await world.store.saveSnapshot(snapshot(seq));

      expect(await world.store.loadSnapshot('r1', 100)).toEqual(snapshot(9));
      expect(await world.store.loadSnapshot('r1', 8)).toEqual(snapshot(6));
      expect(await world.store.loadSnapshot('r1', 5)).toBeUndefined();
      expect(await world.store.loadSnapshot('r2', 100)).toBeUndefined();
    });

    test('replaces one of the same place', async () => {
      await world.store.createRun(creation('r1'));
      await world.store.saveSnapshot(snapshot(3));
      await world.store.saveSnapshot(snapshot(3, 'better'));

      expect((await world.store.loadSnapshot('r1', 3))?.text).toBe('better');
    });

    test('keeps none of a run that is not there', async () => {
      await world.store.saveSnapshot(snapshot(3));
      await world.store.createRun(creation('r1'));

      expect(await world.store.loadSnapshot('r1', 100)).toBeUndefined();
    });
  });
}

function snapshot(seq: number, text = `fold ${seq}`): Snapshot {
  return { run: 'r1', seq, hash: `h${seq}`, format: 1, text };
}
