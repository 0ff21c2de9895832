import { expect } from '../expect.ts';
import type { Lease } from '../../model/index.ts';
import { summary, appending, commit, creation } from '../store-requests.ts';
import { seqsOf, type World } from './world.ts';

export function quarantineContract(world: World): void {
  const { beforeEach, describe, test } = world.framework;
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
    const repair = (seq: number) => commit('r1', seq + 1, 'repaired');
    const cut = (seq: number, given: { token?: string; hash?: string } = {}) => ({
      commit: repair(seq),
      blobs: [],
      summary: summary({ settled: seq }),
      at: 2_000,
      lease: { ...lease, ...(given.token !== undefined && { token: given.token }) },
      lastGood: { seq, hash: given.hash ?? commit('r1', seq).hash },
    });

    test('moves the tail aside, adds the commit that says so, and begins a new incarnation', async () => {
      await world.store.quarantine(cut(2));

      expect(await world.store.readCommits('r1', { after: 1, limit: 9 })).toEqual([
        commit('r1', 2),
        repair(2),
      ]);
      expect(await world.store.quarantined('r1')).toEqual([commit('r1', 3), commit('r1', 4)]);
      const head = { seq: 3, hash: repair(2).hash, incarnation: 2, settled: 2, updatedAt: 2_000 };
      expect(await world.store.findRun('r1')).toMatchObject(head);
      expect(await world.store.loadSnapshot('r1', 100)).toMatchObject({ seq: 2 });
    });

    test('goes on from there, and keeps what several cuts have moved aside', async () => {
      await world.store.quarantine(cut(2));
      const again = commit('r1', 4, 'again');
      await world.store.append(appending(lease, 4, { commit: again }));
      await world.store.quarantine(cut(2));

      const aside = await world.store.quarantined('r1');
      expect(aside).toEqual([commit('r1', 3), commit('r1', 4), repair(2), again]);
      expect((await world.store.findRun('r1'))?.incarnation).toBe(3);
    });

    test('can be cut back to nothing', async () => {
      await world.store.quarantine(cut(0, { hash: '' }));

      expect(await world.store.readCommits('r1', { after: 0, limit: 9 })).toEqual([repair(0)]);
      await world.store.append(appending(lease, 2));
      expect(await seqsOf(world.store, 'r1')).toEqual([1, 2]);
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
      await expect(world.store.quarantine({ ...cut(2), commit: commit('nobody', 3) })).rejects.toMatchObject({
        code: 'RUN_NOT_FOUND',
      });
      expect(await seqsOf(world.store, 'r1')).toEqual([1, 2, 3, 4]);
      expect(await world.store.quarantined('r1')).toEqual([]);
    });
  });
}
