import { expect } from '../expect.ts';
import type { Lease } from '../../model/index.ts';
import type { RunChange, Store } from '../../store/index.ts';
import { appending, commit, creation, summary, leaseOf } from '../store-requests.ts';
import type { World } from './world.ts';

/** Everything after the cursor, page by page. */
async function allAfter(store: Store, after?: string, limit = 3): Promise<RunChange[]> {
  const found: RunChange[] = [];
  for (let from = after; ;) {
    const page = await store.readChanges({ limit, ...(from !== undefined && { after: from }) });
    found.push(...page);
    if (page.length < limit) return found;
    from = page.at(-1)!.cursor;
  }
}

const namesOf = (changes: readonly RunChange[]): string[] =>
  changes.map(({ run, seq }) => (seq === undefined ? `${run} removed` : `${run}@${seq}`));

export function changesContract(world: World): void {
  const { beforeEach, describe, test } = world.framework;
  const after = async (cursor?: string): Promise<string[]> => namesOf(await allAfter(world.store, cursor));

  describe('when its changes are followed,', () => {
    let lease: Lease;
    beforeEach(async () => {
      lease = await world.store.createRun(creation('a'));
    });

    test('tells those of all runs and handles, in the order in which they were committed', async () => {
      const another = await world.openAnother();
      const other = await another.createRun(creation('b'));
      await world.store.append(appending(lease, 2));
      await Promise.all([another.append(appending(other, 2)), another.append(appending(other, 3))]);
      await world.store.append(appending(lease, 3));

      const told = ['a@1', 'b@1', 'a@2', 'b@2', 'b@3', 'a@3'];
      expect(await after()).toEqual(told);
      expect(await allAfter(another)).toEqual(await allAfter(world.store, undefined, 1));
      expect(namesOf(await world.store.readChanges({ limit: 0 }))).toEqual([]);
    });

    test('goes on from any cursor, and from the newest', async () => {
      await world.store.append(appending(lease, 2));
      const [first, second] = await allAfter(world.store);
      expect(await after(first!.cursor)).toEqual(['a@2']);
      expect(await world.store.newestCursor()).toBe(second!.cursor);
      expect(await after(second!.cursor)).toEqual([]);
      await world.store.append(appending(lease, 3));
      expect(await after(second!.cursor)).toEqual(['a@3']);
    });

    test('tells nothing of what was refused', async () => {
      const cursor = await world.store.newestCursor();
      await expect(world.store.append(appending(lease, 7))).rejects.toMatchObject({ code: 'SEQ_CONFLICT' });
      await Promise.allSettled([
        world.store.append(appending(lease, 2)),
        world.store.append(appending({ ...lease, token: 'stolen' }, 3)),
        world.store.append(appending(lease, 3)),
      ]);
      expect(await after(cursor)).toEqual(['a@2', 'a@3']);
    });

    test('tells what came in the place of commits that were cut off, also to who has heard of those', async () => {
      for (const seq of [2, 3]) await world.store.append(appending(lease, seq));
      const cursor = await world.store.newestCursor();
      const repair = appending(lease, 2, { commit: commit('a', 2, 'repaired') });
      await world.store.quarantine({ ...repair, lastGood: commit('a', 1) });

      expect(await after(cursor)).toEqual(['a@2']);
      expect(await after()).toEqual(['a@1', 'a@2']);
      await world.store.append(appending(lease, 3));
      expect(await after(cursor)).toEqual(['a@2', 'a@3']);
    });

    test('tells that a run was removed, and all that comes after', async () => {
      const finished = summary({ status: 'succeeded' });
      await world.store.createRun(creation('b', { summary: finished, release: true }));
      const cursor = await world.store.newestCursor();
      await world.store.prune({ leaseOf, runs: ['b'] });
      expect(await after(cursor)).toEqual(['b removed']);
      expect(await after()).toEqual(['a@1', 'b removed']);

      await world.store.createRun(creation('b'));
      await world.store.append(appending(lease, 2));
      expect(await after(cursor)).toEqual(['b removed', 'b@1', 'a@2']);
      expect(await world.store.checkMedium()).toEqual([]);
    });

    test('goes on when all runs were removed, by whichever handle', async () => {
      const cursor = await world.store.newestCursor();
      await world.store.prune({ leaseOf, runs: ['a'], force: true });
      const another = await world.openAnother();
      await another.createRun(creation('b'));
      expect(namesOf(await allAfter(another, cursor))).toEqual(['a removed', 'b@1']);
    });

    test('refuses a cursor that it has not given out', async () => {
      for (const cursor of ['99', 'x', '', '-1', '1e3', '99999999999999999999']) {
        const refused = world.store.readChanges({ after: cursor, limit: 9 });
        await expect(refused).rejects.toMatchObject({ code: 'CURSOR_INVALID', details: { cursor } });
      }
    });
  });
}
