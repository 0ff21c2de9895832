import { beforeEach, describe, expect, test } from 'vitest';
import { randomId } from '../../../src/base/index.ts';
import { findLease } from '../../../src/store/index.ts';
import {
  appending,
  blob,
  commit,
  creation,
  longLeaseMs,
  ownerNamed,
  pauseOf,
  summary,
  leaseOf,
} from '../../support/store-requests.ts';
import { seqsOf, type World } from './world.ts';

export function pruneContract(world: World): void {
  const remaining = async (): Promise<string[]> =>
    (await world.store.listRuns({})).map(({ run }) => run).sort();

  describe('when it is pruned,', () => {
    const finished = summary({ status: 'succeeded' });
    beforeEach(async () => {
      await world.store.createRun(
        creation('old', {
          at: 1_000,
          summary: finished,
          blobs: [blob('own'), blob('shared')],
          release: true,
        }),
      );
      await world.store.createRun(
        creation('new', { at: 9_000, summary: finished, blobs: [blob('shared')], release: true }),
      );
      await world.store.createRun(creation('live', { at: 1_000 }));
    });

    test('removes final runs that have not changed since, and the blobs only they refer to', async () => {
      expect(await world.store.prune({ leaseOf, before: 5_000 })).toEqual({ runs: 1, blobs: 1 });

      expect(await remaining()).toEqual(['live', 'new']);
      await expect(world.store.readBlob(blob('own').hash)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
      expect(await world.store.readBlob(blob('shared').hash)).toBe('shared');
    });

    test('never takes a run that is not final for its age alone', async () => {
      expect(await world.store.prune({ leaseOf, before: 5_000, force: true })).toMatchObject({ runs: 1 });
      expect(await remaining()).toEqual(['live', 'new']);
    });

    test('removes runs by name, unfinished ones only by force', async () => {
      expect(await world.store.prune({ leaseOf, runs: ['live', 'new', 'nobody'] })).toEqual({
        runs: 1,
        blobs: 0,
      });
      expect(await remaining()).toEqual(['live', 'old']);
      expect(await world.store.prune({ leaseOf, runs: ['live'], force: true })).toEqual({
        runs: 1,
        blobs: 0,
      });
      expect(await remaining()).toEqual(['old']);
    });

    test('leaves a run that somebody holds, who may be about to take it up again', async () => {
      const request = { name: 'run:old', owner: ownerNamed('ada'), token: randomId(), leaseMs: longLeaseMs };
      const { lease } = await world.store.takeLease(request);
      expect(await world.store.prune({ leaseOf, runs: ['old'] })).toEqual({ runs: 0, blobs: 0 });
      expect(await world.store.prune({ leaseOf, before: 5_000 })).toEqual({ runs: 0, blobs: 0 });
      await world.store.releaseLease(lease);
      expect(await world.store.prune({ leaseOf, runs: ['old'] })).toMatchObject({ runs: 1 });
    });

    test('removes those named runs that are also old enough', async () => {
      expect(await world.store.prune({ leaseOf, runs: ['old', 'new'], before: 5_000 })).toMatchObject({
        runs: 1,
      });
      expect(await remaining()).toEqual(['live', 'new']);
    });

    test('removes nothing when nothing was named', async () => {
      expect(await world.store.prune({ leaseOf })).toEqual({ runs: 0, blobs: 0 });
      expect(await remaining()).toEqual(['live', 'new', 'old']);
    });

    test('leaves nothing of a removed run behind: its id begins anew', async () => {
      const lease = (await findLease(world.store, 'run:live'))!;
      await world.store.append(appending(lease, 2));
      await world.store.saveSnapshot({ run: 'live', seq: 2, hash: 'h', format: 1, text: 'fold' });
      await world.store.sendCommand(pauseOf('live', 'c1'));
      await world.store.quarantine({
        ...appending(lease, 2, { commit: commit('live', 2, 'repaired') }),
        lastGood: { seq: 1, hash: commit('live', 1).hash },
      });
      await world.store.prune({ leaseOf, runs: ['live'], force: true });

      await expect(world.store.append(appending(lease, 3))).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
      expect((await world.store.createRun(creation('live'))).epoch).toBe(1);
      expect(await seqsOf(world.store, 'live')).toEqual([1]);
      expect(await world.store.quarantined('live')).toEqual([]);
      expect(await world.store.pendingCommands('live')).toEqual([]);
      expect(await world.store.loadSnapshot('live', 100)).toBeUndefined();
      expect((await world.store.findRun('live'))?.incarnation).toBe(1);
    });

    test('drops the blobs of one run but for those to be kept, and nothing else', async () => {
      const keep = [blob('own').hash];
      expect(await world.store.dropBlobs('old', keep)).toBe(0);
      expect(await world.store.dropBlobs('old', [])).toBe(1);

      await expect(world.store.readBlob(blob('own').hash)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
      expect(await world.store.readBlob(blob('shared').hash)).toBe('shared');
      expect(await remaining()).toEqual(['live', 'new', 'old']);
      expect(await world.store.prune({ leaseOf, runs: ['new'] })).toEqual({ runs: 1, blobs: 1 });
    });
  });
}
