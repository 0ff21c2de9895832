import { beforeEach, describe, expect, test } from 'vitest';
import type { Lease } from '../../../src/model/index.ts';
import { appending, commit, creation } from '../../support/store-requests.ts';
import { seqsOf, type World } from './world.ts';

export function quarantineContract(world: World): void {
  describe('when a journal is cut back,', () => {
    let lease: Lease;
    beforeEach(async () => {
      lease = await world.store.createRun(creation('r1'));
      for (const seq of [2, 3, 4]) await world.store.append(appending(lease, seq));
      for (const seq of [2, 4]) {
        await world.store.saveSnapshot({
          run: 'r1',
          seq,
          hash: commit('r1', seq).hash,
          format: 1,
          text: `at ${seq}`,
        });
      }
    });
    const cut = (seq: number, given: { token?: string; hash?: string } = {}) => ({
      run: 'r1',
      token: given.token ?? lease.token,
      lastGood: { seq, hash: given.hash ?? commit('r1', seq).hash },
    });

    test('moves the tail aside and begins a new incarnation', async () => {
      await world.store.quarantine(cut(2));

      expect(await seqsOf(world.store, 'r1')).toEqual([1, 2]);
      expect(await world.store.quarantined('r1')).toEqual([commit('r1', 3), commit('r1', 4)]);
      const head = { seq: 2, hash: commit('r1', 2).hash, incarnation: 2 };
      expect(await world.store.findRun('r1')).toMatchObject(head);
      expect(await world.store.loadSnapshot('r1', 100)).toMatchObject({ seq: 2 });
    });

    test('goes on from there, and keeps what several cuts have moved aside', async () => {
      await world.store.quarantine(cut(2));
      const again = commit('r1', 3, 'again');
      await world.store.append(appending(lease, 3, { commit: again }));
      await world.store.quarantine(cut(2));

      const aside = await world.store.quarantined('r1');
      expect(aside).toEqual([commit('r1', 3), commit('r1', 4), again]);
      expect((await world.store.findRun('r1'))?.incarnation).toBe(3);
    });

    test('can be cut back to nothing', async () => {
      await world.store.quarantine(cut(0, { hash: '' }));

      expect(await seqsOf(world.store, 'r1')).toEqual([]);
      await world.store.append(appending(lease, 1));
      expect(await seqsOf(world.store, 'r1')).toEqual([1]);
    });

    test('refuses whoever does not hold the lease', async () => {
      await expect(world.store.quarantine(cut(2, { token: 'stolen' }))).rejects.toMatchObject({
        code: 'LEASE_LOST',
      });
      expect(await seqsOf(world.store, 'r1')).toEqual([1, 2, 3, 4]);
    });

    test('refuses to cut where the journal has another commit', async () => {
      await expect(world.store.quarantine(cut(2, { hash: 'other' }))).rejects.toMatchObject({
        code: 'SEQ_CONFLICT',
      });
      await expect(world.store.quarantine({ ...cut(2), run: 'nobody' })).rejects.toMatchObject({
        code: 'RUN_MISSING',
      });
      expect(await seqsOf(world.store, 'r1')).toEqual([1, 2, 3, 4]);
      expect(await world.store.quarantined('r1')).toEqual([]);
    });
  });
}
