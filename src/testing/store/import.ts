import { PitonError } from '../../base/index.ts';
import type { ImportRunRequest } from '../../store/index.ts';
import { expect } from '../expect.ts';
import { appending, blob, commit, creation, leaseOf, summary, taking } from '../store-requests.ts';
import { seqsOf, type World } from './world.ts';

const value = blob('a big value');
const other = blob('one that was moved aside');

function commitOf(run: string, seq: number) {
  return commit(run, seq, seq === 2 ? value.hash : '');
}

function importing(run: string, given: Partial<ImportRunRequest> = {}): ImportRunRequest {
  const commits = [1, 2, 3].map((seq) => ({
    ...commitOf(run, seq),
    at: 1_000 + seq,
    blobs: seq === 2 ? [value.hash] : [],
  }));
  const record = { ...summary({ status: 'paused', settled: 1, reason: 'moved' }), run, incarnation: 2 };
  return {
    record: { ...record, seq: 3, hash: commit(run, 3).hash, createdAt: 1_001, updatedAt: 1_003 },
    commits,
    blobs: [value, other],
    quarantined: [{ ...commit(run, 3, other.hash), blobs: [other.hash] }],
    lease: { name: leaseOf(run), epoch: 7 },
    ...given,
  };
}

export function importContract(world: World): void {
  const { describe, test } = world.framework;
  describe('when a run of another store is imported,', () => {
    test('has its row, its commits, their blobs and what was moved aside, as they were', async () => {
      const request = importing('r1');
      await world.store.importRun(request);

      const again = await world.openAnother();
      expect(await again.findRun('r1')).toEqual(request.record);
      expect(await again.compareRun(request.record)).toEqual([]);
      expect(await again.readCommits('r1', { after: 0, limit: 9 })).toEqual(
        [1, 2, 3].map((seq) => commitOf('r1', seq)),
      );
      expect(await again.readBlob(value.hash)).toBe(value.text);
      expect(await again.quarantined('r1')).toEqual([commit('r1', 3, other.hash)]);
      expect(await again.checkMedium()).toEqual([]);
    });

    test('tells of every commit, after all that was told before', async () => {
      await world.store.createRun(creation('r0'));
      const after = await world.store.newestCursor();
      await world.store.importRun(importing('r1'));

      const changes = await world.store.readChanges({ after, limit: 9 });
      expect(changes.map(({ run, seq }) => [run, seq])).toEqual([1, 2, 3].map((seq) => ['r1', seq]));
    });

    test('is nobody’s: whoever takes it has a higher epoch than all of its commits, and can go on', async () => {
      await world.store.importRun(importing('r1'));

      expect((await world.store.findLeases([leaseOf('r1')])).size).toBe(0);
      const { taken, lease } = await world.store.takeLease(taking(leaseOf('r1')));
      expect({ taken, epoch: lease.epoch }).toEqual({ taken: true, epoch: 8 });
      await world.store.append(appending(lease, 4));
      expect(await seqsOf(world.store, 'r1')).toEqual([1, 2, 3, 4]);
    });

    test('refuses an id that is taken, and changes nothing', async () => {
      await world.store.createRun(creation('r1'));
      const before = await world.store.findRun('r1');

      await expect(world.store.importRun(importing('r1'))).rejects.toMatchObject({ code: 'RUN_EXISTS' });
      expect(await world.store.findRun('r1')).toEqual(before);
      expect(await seqsOf(world.store, 'r1')).toEqual([1]);
      await expect(world.store.readBlob(value.hash)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
    });

    test('of two at once, one is refused', async () => {
      const second = await world.openAnother();
      const both = await Promise.allSettled([
        world.store.importRun(importing('r1')),
        second.importRun(importing('r1')),
      ]);

      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await seqsOf(world.store, 'r1')).toEqual([1, 2, 3]);
    });

    test('leaves nothing behind if what it is given cannot be read to its end', async () => {
      const broken = {
        *[Symbol.iterator]() {
          yield value;
          throw new PitonError('EXPORT_INVALID', 'The file has changed.');
        },
      };
      await expect(world.store.importRun(importing('r1', { blobs: broken }))).rejects.toMatchObject({
        code: 'EXPORT_INVALID',
      });

      expect(await world.store.findRun('r1')).toBe(undefined);
      expect(await seqsOf(world.store, 'r1')).toEqual([]);
      await expect(world.store.readBlob(value.hash)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
    });

    test('keeps its last snapshot, and its blobs go with it', async () => {
      const { record } = importing('r1');
      const snapshot = { run: 'r1', seq: 3, hash: record.hash, format: 1, text: 'at 3' };
      const ended = { ...record, status: 'succeeded' } as const;
      await world.store.importRun(importing('r1', { snapshot, record: ended }));
      expect(await world.store.loadSnapshot('r1', 9)).toEqual(snapshot);

      expect(await world.store.prune({ runs: ['r1'], leaseOf })).toMatchObject({ runs: 1, blobs: 2 });
      await world.store.importRun(importing('r1'));
      expect(await seqsOf(world.store, 'r1')).toEqual([1, 2, 3]);
    });
  });
}
