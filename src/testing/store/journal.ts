import { expect } from '../expect.ts';
import type { Lease } from '../../model/index.ts';
import { findLease } from '../../store/index.ts';
import { appending, blob, commit, creation, longLeaseMs, summary, taking } from '../store-requests.ts';
import { seqsOf, type World } from './world.ts';

export function journalContract(world: World): void {
  const { describe, test } = world.framework;
  describe('when a run is created,', () => {
    test('keeps its row, its first commit and its lease', async () => {
      const request = creation('r1', { summary: summary({ wakeAt: 77.5, reason: 'waiting' }) });
      const lease = await world.store.createRun(request);

      expect(lease).toMatchObject({
        name: 'run:r1',
        epoch: 1,
        token: request.lease.token,
        owner: request.lease.owner,
      });
      expect(lease.expiresAt).toBe(world.clock.now() + longLeaseMs);
      expect(await world.store.findRun('r1')).toEqual({
        ...request.summary,
        run: 'r1',
        seq: 1,
        hash: request.commit.hash,
        incarnation: 1,
        createdAt: 1_000,
        updatedAt: 1_000,
      });
      expect(await world.store.readCommits('r1', { after: 0, limit: 10 })).toEqual([request.commit]);
      expect(await findLease(world.store, 'run:r1')).toEqual(lease);
    });

    test('refuses an id that is taken, and changes nothing', async () => {
      const first = creation('r1', { blobs: [blob('first')] });
      await world.store.createRun(first);
      const again = creation('r1', { commit: commit('r1', 1, 'other'), blobs: [blob('second')] });

      await expect(world.store.createRun(again)).rejects.toMatchObject({ code: 'RUN_EXISTS' });
      expect(await world.store.readCommits('r1', { after: 0, limit: 10 })).toEqual([first.commit]);
      expect((await findLease(world.store, 'run:r1'))?.token).toBe(first.lease.token);
      await expect(world.store.readBlob(blob('second').hash)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
    });

    test('lets one of two who create it in the same turn have it', async () => {
      const another = await world.openAnother();
      const results = await Promise.allSettled([
        world.store.createRun(creation('r1', { commit: commit('r1', 1, 'mine') })),
        another.createRun(creation('r1', { commit: commit('r1', 1, 'theirs') })),
      ]);

      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await seqsOf(world.store, 'r1')).toEqual([1]);
    });

    test('keeps no lease on a run that ends with its first commit', async () => {
      const lease = await world.store.createRun(creation('r1', { release: true }));

      expect(lease.epoch).toBe(1);
      expect(await findLease(world.store, 'run:r1')).toBeUndefined();
      await expect(world.store.append(appending(lease, 2))).rejects.toMatchObject({ code: 'LEASE_LOST' });
    });
  });

  describe('when commits are appended,', () => {
    test('returns them in order, page by page, with the bodies as they were given', async () => {
      const lease = await world.store.createRun(creation('r1'));
      const body = '{"text":"naïve 🧗 \\u0000 \\n", "spaces" :  "kept"}';
      const odd = { run: 'r1', seq: 2, body, hash: 'h2' };
      await world.store.append(appending(lease, 2, { commit: odd }));
      for (const seq of [3, 4, 5]) await world.store.append(appending(lease, seq));

      const page = await world.store.readCommits('r1', { after: 1, limit: 2 });
      expect(page).toEqual([odd, commit('r1', 3)]);
      expect(await world.store.readCommits('r1', { after: 3, limit: 10 })).toEqual([
        commit('r1', 4),
        commit('r1', 5),
      ]);
      expect(await world.store.readCommits('r1', { after: 5, limit: 10 })).toEqual([]);
    });

    test('knows no commits of an unknown run', async () => {
      expect(await world.store.readCommits('nobody', { after: 0, limit: 10 })).toEqual([]);
      expect(await world.store.findRun('nobody')).toBeUndefined();
    });

    test('moves the head and replaces the summary with each commit', async () => {
      const lease = await world.store.createRun(
        creation('r1', { summary: summary({ wakeAt: 9, reason: 'x' }) }),
      );
      const ended = summary({ status: 'succeeded', settled: 3 });
      await world.store.append(appending(lease, 2, { summary: ended, at: 5_000 }));

      expect(await world.store.findRun('r1')).toEqual({
        ...ended,
        run: 'r1',
        seq: 2,
        hash: commit('r1', 2).hash,
        incarnation: 1,
        createdAt: 1_000,
        updatedAt: 5_000,
      });
    });

    test('says what the last commit says of a run, also of several in one turn and after one that was refused', async () => {
      const lease = await world.store.createRun(creation('r1'));
      const paused = summary({ status: 'paused', reason: 'lunch' });
      await Promise.all([
        world.store.append(appending(lease, 2, { summary: paused })),
        world.store.append(appending(lease, 3)),
      ]);
      expect(await world.store.findRun('r1')).toMatchObject({ seq: 3, status: 'running', settled: 3 });

      const results = await Promise.allSettled([
        world.store.append(appending(lease, 4, { summary: paused })),
        world.store.append(appending(lease, 9, { summary: summary({ status: 'held' }) })),
        world.store.append(appending(lease, 5)),
        world.store.append(appending(lease, 6, { summary: paused })),
      ]);
      expect(results.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
      expect(await world.store.findRun('r1')).toMatchObject({ seq: 6, ...paused });
      await world.store.append(appending(lease, 7, { summary: paused }));
      expect(await world.store.findRun('r1')).toMatchObject({ seq: 7, ...paused });
    });

    test('says what the last commit says of a run that somebody else has written to meanwhile', async () => {
      const another = await world.openAnother();
      const first = await world.store.createRun(creation('r1'));
      const { lease } = await another.takeLease(taking('run:r1', { replaces: first.token }));
      await another.append(appending(lease, 2, { summary: summary({ status: 'held' }), release: {} }));
      const again = await world.store.takeLease(taking('run:r1'));
      await world.store.append(appending(again.lease, 3));
      expect(await another.findRun('r1')).toMatchObject({ seq: 3, status: 'running' });
    });

    test('refuses a commit that does not follow the head', async () => {
      const lease = await world.store.createRun(creation('r1'));

      await expect(world.store.append(appending(lease, 3))).rejects.toMatchObject({ code: 'SEQ_CONFLICT' });
      await expect(world.store.append(appending(lease, 1))).rejects.toMatchObject({ code: 'SEQ_CONFLICT' });
      expect(await seqsOf(world.store, 'r1')).toEqual([1]);
      expect((await world.store.findRun('r1'))?.seq).toBe(1);
    });

    test('refuses a commit under a token that does not hold the lease, and leaves no trace of it', async () => {
      const lease = await world.store.createRun(creation('r1'));
      const stranger = { ...lease, token: 'stolen' };
      const request = appending(stranger, 2, { blobs: [blob('secret')], release: {} });

      await expect(world.store.append(request)).rejects.toMatchObject({ code: 'LEASE_LOST' });
      expect(await seqsOf(world.store, 'r1')).toEqual([1]);
      expect((await findLease(world.store, 'run:r1'))?.token).toBe(lease.token);
      await expect(world.store.readBlob(blob('secret').hash)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
    });

    test('refuses a commit to a run it does not hold', async () => {
      const lease = await world.store.createRun(creation('r1'));
      const elsewhere = appending({ ...lease, name: 'run:r2' }, 2);

      await expect(world.store.append(elsewhere)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    });

    test('commits the neighbours of a refused append that was asked for in the same turn', async () => {
      const leases = await Promise.all(
        ['a', 'b', 'c', 'd'].map((run) => world.store.createRun(creation(run))),
      );
      const [a, b, c, d] = leases as [Lease, Lease, Lease, Lease];
      const results = await Promise.allSettled([
        world.store.append(appending(a, 2)),
        world.store.append(appending({ ...b, token: 'stolen' }, 2, { blobs: [blob('refused')] })),
        world.store.append(appending(c, 7)),
        world.store.append(appending(d, 2)),
        world.store.append(appending(d, 3)),
      ]);

      const outcomes = results.map((result) => (result.status === 'rejected' ? result.reason.code : 'done'));
      expect(outcomes).toEqual(['done', 'LEASE_LOST', 'SEQ_CONFLICT', 'done', 'done']);
      const heads = await Promise.all(['a', 'b', 'c', 'd'].map((run) => world.store.findRun(run)));
      expect(heads.map((head) => head?.seq)).toEqual([2, 1, 1, 3]);
      await expect(world.store.readBlob(blob('refused').hash)).rejects.toMatchObject({
        code: 'BLOB_MISSING',
      });
    });

    test('keeps hundreds of commits asked for in one turn, each once', async () => {
      const lease = await world.store.createRun(creation('r1'));
      const seqs = Array.from({ length: 700 }, (_, index) => index + 2);
      await Promise.all(seqs.map((seq) => world.store.append(appending(lease, seq))));

      const read = await world.store.readCommits('r1', { after: 0, limit: 1_000 });
      expect(read.map(({ seq }) => seq)).toEqual([1, ...seqs]);
    });

    test('shows what one handle committed to every other one', async () => {
      const another = await world.openAnother();
      const lease = await world.store.createRun(creation('r1'));
      await world.store.append(appending(lease, 2));

      expect(await another.findRun('r1')).toEqual(await world.store.findRun('r1'));
      expect(await another.readCommits('r1', { after: 0, limit: 10 })).toHaveLength(2);
    });
  });
}
