import { expect } from '../expect.ts';
import type { Lease } from '../../model/index.ts';
import { findLease } from '../../store/index.ts';
import { eventually } from '../eventually.ts';
import { appending, creation, longLeaseMs, ownerNamed, summary, taking, leaseOf } from '../store-requests.ts';
import { seqsOf, type World } from './world.ts';

export function leasesContract(world: World): void {
  const { describe, test } = world.framework;
  describe('of leases,', () => {
    test('gives a free one to whoever asks first', async () => {
      const request = taking('run:r1');
      const { taken, lease } = await world.store.takeLease(request);

      expect(taken).toBe(true);
      expect(lease).toEqual({
        name: 'run:r1',
        owner: request.owner,
        epoch: 1,
        token: request.token,
        takenAt: world.clock.now(),
        expiresAt: world.clock.now() + longLeaseMs,
        isExpired: false,
      });
    });

    test('gives a held one to nobody else, and says who holds it', async () => {
      const another = await world.openAnother();
      const { lease } = await world.store.takeLease(taking('run:r1', { owner: ownerNamed('ada') }));
      const refused = await another.takeLease(taking('run:r1'));

      expect(refused).toEqual({ taken: false, lease });
      expect(await findLease(another, 'run:r1')).toEqual(lease);
    });

    test('gives one of two who ask in the same turn the lease', async () => {
      const another = await world.openAnother();
      const results = await Promise.all([
        world.store.takeLease(taking('run:r1')),
        another.takeLease(taking('run:r1')),
      ]);

      expect(results.filter(({ taken }) => taken)).toHaveLength(1);
      expect(results[0]!.lease.token).toBe(results[1]!.lease.token);
    });

    test('gives an expired one to the next, with a higher epoch, and shuts out the former holder', async () => {
      const silent = await world.openSilent();
      const first = await silent.createRun(creation('r1'));
      world.clock.advance(longLeaseMs - 1);
      expect((await world.store.takeLease(taking('run:r1'))).taken).toBe(false);
      expect(await findLease(world.store, 'run:r1')).toMatchObject({ token: first.token, isExpired: false });
      world.clock.advance(1);
      expect(await findLease(world.store, 'run:r1')).toMatchObject({ token: first.token, isExpired: true });
      const second = await world.store.takeLease(taking('run:r1'));

      expect(second).toMatchObject({ taken: true, lease: { epoch: 2 } });
      await expect(silent.append(appending(first, 2))).rejects.toMatchObject({ code: 'LEASE_LOST' });
      await world.store.append(appending(second.lease, 2));
      expect(await seqsOf(world.store, 'r1')).toEqual([1, 2]);
    });

    test('knows a run by whatever name its lease was taken under, and writes under no other', async () => {
      const { lease: named, ...request } = creation('r1');
      const lease = await world.store.createRun({ ...request, lease: { ...named, name: 'drive/r1' } });
      const commit = appending({ ...lease, name: 'run:r1' }, 2);
      await expect(world.store.append(commit)).rejects.toMatchObject({ code: 'LEASE_LOST' });
      await world.store.append({ ...commit, lease });
      const leaseOf = (run: string): string => `drive/${run}`;
      const ended = { ...commit, ...appending({ ...lease, name: 'run:r1' }, 3), lease };
      await world.store.append({ ...ended, summary: { ...ended.summary, status: 'succeeded' } });
      expect(await world.store.prune({ runs: ['r1'], leaseOf })).toMatchObject({ runs: 0 });
      await world.store.releaseLease(lease);
      expect(await world.store.prune({ runs: ['r1'], leaseOf })).toMatchObject({ runs: 1 });
      expect((await world.store.takeLease(taking('drive/r1'))).lease.epoch).toBe(1);
    });

    test('refuses a commit under an expired lease even if nobody else has taken it', async () => {
      const silent = await world.openSilent();
      const lease = await silent.createRun(creation('r1'));
      world.clock.advance(longLeaseMs);

      await expect(silent.append(appending(lease, 2))).rejects.toMatchObject({ code: 'LEASE_LOST' });
    });

    test('gives one to whoever knows its holder to be dead and shows the token it replaces', async () => {
      const another = await world.openAnother();
      const first = await world.store.createRun(creation('r1'));
      expect((await another.takeLease(taking('run:r1', { replaces: 'wrong' }))).taken).toBe(false);
      const second = await another.takeLease(taking('run:r1', { replaces: first.token }));

      expect(second).toMatchObject({ taken: true, lease: { epoch: 2, owner: { instance: 'bob' } } });
      await expect(world.store.append(appending(first, 2))).rejects.toMatchObject({ code: 'LEASE_LOST' });
    });

    test('says how a run stands that was given back under a token which wrote to it before', async () => {
      const another = await world.openAnother();
      const first = await world.store.createRun(creation('r1', { summary: summary({ status: 'running' }) }));
      const second = await another.takeLease(taking('run:r1', { replaces: first.token }));
      await another.append(appending(second.lease, 2, { summary: summary({ status: 'paused' }) }));
      const { token } = first;
      const third = await world.store.takeLease(taking('run:r1', { token, replaces: second.lease.token }));
      await world.store.append(appending(third.lease, 3, { summary: summary({ status: 'running' }) }));

      expect(await world.store.findRun('r1')).toMatchObject({ seq: 3, status: 'running' });
    });

    test('lets one of two replace the same dead holder', async () => {
      const another = await world.openAnother();
      const dead = await world.store.createRun(creation('r1'));
      const results = await Promise.all([
        world.store.takeLease(taking('run:r1', { replaces: dead.token })),
        another.takeLease(taking('run:r1', { replaces: dead.token })),
      ]);

      expect(results.map(({ taken }) => taken).sort()).toEqual([false, true]);
      expect((await findLease(world.store, 'run:r1'))?.epoch).toBe(2);
    });

    test('frees a released one at once, and counts its epochs on', async () => {
      const another = await world.openAnother();
      const { lease } = await world.store.takeLease(taking('run:r1'));
      await world.store.releaseLease(lease);

      expect(await findLease(another, 'run:r1')).toBeUndefined();
      const next = await another.takeLease(taking('run:r1'));
      expect(next).toMatchObject({ taken: true, lease: { epoch: 2 } });
    });

    test('finds many with one look: those that are held and those that have run out, and none that is free', async () => {
      const silent = await world.openSilent();
      const { lease: expired } = await silent.takeLease(taking('run:silent', { leaseMs: 1 }));
      world.clock.advance(1);
      const { lease: held } = await world.store.takeLease(taking('run:held'));
      const { lease: freed } = await world.store.takeLease(taking('run:freed'));
      await world.store.releaseLease(freed);
      const names = ['run:held', 'run:never', 'run:silent', 'run:freed', 'run:held'];
      const found = await world.store.findLeases(names);

      expect(new Map(found)).toEqual(
        new Map([
          ['run:held', held],
          ['run:silent', { ...expired, isExpired: true }],
        ]),
      );
      expect(await world.store.findLeases([])).toEqual(new Map());
    });

    test('finds each of thousands, and whatever it is called', async () => {
      // The last is half of a character: agents name their sessions as they like.
      const odd = ['session:"', "lock:/a b'c\\d:e", 'session:\0', 'session:\u{1F600}', 'session:\uD83D'];
      for (const name of odd) await world.store.takeLease(taking(name, { token: name }));
      const free = Array.from({ length: 3_000 }, (_, index) => `run:${index}`);
      const found = await world.store.findLeases([...free, ...odd]);

      expect(Array.from(found.keys()).sort()).toEqual(odd.toSorted());
      for (const name of odd) {
        expect(found.get(name)?.epoch).toBe(1);
        expect((await world.store.takeLease(taking(name))).taken).toBe(false);
      }
    });

    test('does not take a lease away from its new holder when the former one releases it', async () => {
      const another = await world.openAnother();
      const { lease } = await world.store.takeLease(taking('run:r1'));
      const next = await another.takeLease(taking('run:r1', { replaces: lease.token }));
      await world.store.releaseLease(lease);

      expect(await findLease(another, 'run:r1')).toEqual(next.lease);
    });

    test('tells the holder once of each lease that was lost, and of none that it gave up or kept', async () => {
      const another = await world.openAnother();
      const lost: string[] = [];
      world.store.onLeaseLost(({ name }) => lost.push(name));
      const rob = async (run: string): Promise<void> => {
        const { token } = await world.store.createRun(creation(run, { leaseMs: 600 }));
        await another.takeLease(taking(`run:${run}`, { replaces: token }));
      };
      const kept = await world.store.takeLease(taking('run:kept'));
      const given = await world.store.takeLease(taking('run:given'));
      const ended = await world.store.createRun(creation('ended'));
      await world.store.releaseLease(given.lease);
      await another.takeLease(taking('run:given'));
      await world.store.append(appending(ended, 2, { release: {} }));
      world.clock.advance(1);
      await rob('robbed');
      await eventually('the first loss is reported', () => lost.length > 0);
      await rob('robbed-too');
      await eventually('the second loss is reported', () => lost.length > 1);

      expect(lost).toEqual(['run:robbed', 'run:robbed-too']);
      const renewed = await findLease(world.store, 'run:kept');
      expect(renewed?.token).toBe(kept.lease.token);
      expect(renewed?.expiresAt).toBeGreaterThan(kept.lease.expiresAt);
    });

    test('calls nobody who has stopped listening for lost leases', async () => {
      const another = await world.openAnother();
      const heard: string[] = [];
      const stop = world.store.onLeaseLost(() => heard.push('stopped'));
      world.store.onLeaseLost(() => heard.push('listening'));
      stop();
      const robbed = await world.store.createRun(creation('r1', { leaseMs: 600 }));
      await another.takeLease(taking('run:r1', { replaces: robbed.token }));

      await eventually('the loss is reported', () => heard.length > 0);
      expect(heard).toEqual(['listening']);
    });

    test('tells the driver of a run that was removed by force', async () => {
      const another = await world.openAnother();
      const lost: Lease[] = [];
      world.store.onLeaseLost((lease) => lost.push(lease));
      const lease = await world.store.createRun(creation('r1', { leaseMs: 600 }));
      await another.prune({ leaseOf, runs: ['r1'], force: true });

      await eventually('the loss is reported', () => lost.length > 0);
      expect(lost.map(({ token }) => token)).toEqual([lease.token]);
    });

    test('frees those of a store that closes', async () => {
      const another = await world.openAnother();
      await world.store.createRun(creation('r1'));
      await world.store.takeLease(taking('lock:deploy'));
      await world.store.close();

      expect(await findLease(another, 'run:r1')).toBeUndefined();
      expect(await another.takeLease(taking('lock:deploy'))).toMatchObject({
        taken: true,
        lease: { epoch: 2 },
      });
    });

    test('leaves those of others alone when it closes', async () => {
      const another = await world.openAnother();
      const { lease } = await another.takeLease(taking('run:r1'));
      await world.store.close();

      expect(await findLease(another, 'run:r1')).toEqual(lease);
    });
  });
}
