import { expect } from '../expect.ts';
import { randomId } from '../../base/index.ts';
import { findLease } from '../../store/index.ts';
import {
  appending,
  blob,
  commit,
  creation,
  longLeaseMs,
  ownerNamed,
  pauseOf,
  summary,
  taking,
  leaseOf,
} from '../store-requests.ts';
import { seqsOf, type World } from './world.ts';

export function pruneContract(world: World): void {
  const { beforeEach, describe, test } = world.framework;
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

    test('keeps a run that was gone on with after it was chosen, and says so', async () => {
      const chosen = (await world.store.findRun('old'))!;
      const { lease } = await world.store.takeLease(taking('run:old'));
      await world.store.append(appending(lease, 2, { summary: finished, release: {} }));
      const request = { leaseOf, runs: ['old', 'new'], heads: new Map([['old', chosen.hash]]) };
      expect(await world.store.prune(request)).toMatchObject({ runs: 1, kept: [{ run: 'old' }] });
      expect(await remaining()).toEqual(['live', 'old']);
    });

    test('measures what runs would give back: what they share goes with the last of them', async () => {
      const size = await world.store.measure(['old', 'new', 'nobody']);
      expect([...size.runs.keys()].sort()).toEqual(['new', 'old']);
      expect(size.runs.get('old')).toMatchObject({ payloads: 'own'.length });
      expect(size.runs.get('new')).toMatchObject({ payloads: 'shared'.length });
      expect(size.runs.get('old')!.journal).toBe(commit('old', 1).body.length);
      expect((await world.store.measure(['old'])).runs.get('old')).toMatchObject({ payloads: 'own'.length });
      expect(size.bytes >= size.freeBytes).toBe(true);
    });

    test('holds the same afterwards, made smaller or not', async () => {
      await world.store.prune({ leaseOf, runs: ['old'] });
      const { bytes, freeBytes } = await world.store.compact({ whole: true });
      expect(await world.store.measure([])).toMatchObject({ bytes, freeBytes });
      expect(await remaining()).toEqual(['live', 'new']);
      expect(await world.store.readBlob(blob('shared').hash)).toBe('shared');
    });
  });

  dropWithCommitContract(world);
}

/** A run lets go of its payloads, and its journal says so, in one transaction. */
function dropWithCommitContract(world: World): void {
  const { describe, test } = world.framework;
  describe('when a commit drops the blobs of those before it,', () => {
    test('keeps what it is told to keep, what others refer to, and what it brings itself', async () => {
      await world.store.createRun(creation('other', { blobs: [blob('shared')] }));
      const lease = await world.store.createRun(
        creation('r1', { blobs: [blob('own'), blob('shared'), blob('kept')] }),
      );
      const dropBlobsBut = [blob('kept').hash];
      await world.store.append(appending(lease, 2, { dropBlobsBut, blobs: [blob('brought')] }));
      await expect(world.store.readBlob(blob('own').hash)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
      for (const text of ['shared', 'kept', 'brought'])
        expect(await world.store.readBlob(blob(text).hash)).toBe(text);
      expect(await seqsOf(world.store, 'r1')).toEqual([1, 2]);
      // Nothing of it is counted twice: the last run that refers to it takes it along.
      await world.store.prune({ leaseOf, runs: ['other'], force: true });
      await expect(world.store.readBlob(blob('shared').hash)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
    });

    test('drops nothing if the commit is refused', async () => {
      const lease = await world.store.createRun(creation('r1', { blobs: [blob('own')] }));
      const refused = appending({ ...lease, token: 'another' }, 2, { dropBlobsBut: [] });
      await expect(world.store.append(refused)).rejects.toMatchObject({ code: 'LEASE_LOST' });
      await expect(world.store.append(appending(lease, 3, { dropBlobsBut: [] }))).rejects.toMatchObject({
        code: 'SEQ_CONFLICT',
      });
      expect(await world.store.readBlob(blob('own').hash)).toBe('own');
    });
  });
}
