import type { RunSummary } from '../../model/index.ts';
import { expect } from '../expect.ts';
import type { RunFilter } from '../../store/index.ts';
import { appending, creation, summary } from '../store-requests.ts';
import type { World } from './world.ts';

export function listingContract(world: World): void {
  const { beforeEach, describe, test } = world.framework;
  const listed = async (filter: RunFilter): Promise<string[]> =>
    (await world.store.listRuns(filter)).map(({ run }) => run);

  describe('when runs are listed,', () => {
    beforeEach(async () => {
      await world.store.createRun(creation('b-old', { at: 1_000 }));
      await world.store.createRun(creation('a-new', { at: 3_000, summary: summary({ workflow: 'test' }) }));
      await world.store.createRun(creation('b-mid', { at: 2_000, summary: summary({ status: 'failed' }) }));
    });

    test('gives the newest first', async () => {
      expect(await listed({})).toEqual(['a-new', 'b-mid', 'b-old']);
      expect(await listed({ limit: 2 })).toEqual(['a-new', 'b-mid']);
    });

    test('goes on from page to page, without a gap or a repetition, also among runs of the same moment', async () => {
      for (const run of ['x1', 'x2', 'x3']) await world.store.createRun(creation(run, { at: 2_000 }));
      const pages: string[][] = [];
      for (let before: RunFilter['before']; ;) {
        const page = await world.store.listRuns({ limit: 2, ...(before && { before }) });
        if (page.length === 0) break;
        pages.push(page.map(({ run }) => run));
        before = page.at(-1)!;
      }
      expect(pages).toEqual([
        ['a-new', 'x3'],
        ['x2', 'x1'],
        ['b-mid', 'b-old'],
      ]);
      const before = { run: 'x1', createdAt: 2_000 };
      expect(await listed({ before, status: ['running'] })).toEqual(['b-old']);
      expect(await listed({ before, limit: 0 })).toEqual([]);
    });

    test('filters by status, workflow and the beginning of the id', async () => {
      expect(await listed({ status: ['failed', 'held'] })).toEqual(['b-mid']);
      expect(await listed({ status: [] })).toEqual([]);
      expect(await listed({ workflow: 'test' })).toEqual(['a-new']);
      expect(await listed({ prefix: 'b-' })).toEqual(['b-mid', 'b-old']);
      expect(await listed({ prefix: 'b-', status: ['running'] })).toEqual(['b-old']);
      expect(await listed({ prefix: '%' })).toEqual([]);
    });

    test('gives the same rows that are found singly', async () => {
      expect(await world.store.listRuns({ prefix: 'b-old' })).toEqual([await world.store.findRun('b-old')]);
    });

    test('finds the runs in which agents have used something, on a day or ever', async () => {
      const used = { input: 5, output: 1, cachedInput: 0, usd: 0.5, unpricedTokens: 0 };
      const spent = { '2026-11-15': { claude: used }, '2026-11-16': { codex: used } };
      await rebuild('b-old', summary({ spent }));

      expect(await listed({ spentOn: '2026-11-15' })).toEqual(['b-old']);
      expect(await listed({ spentOn: 'any' })).toEqual(['b-old']);
      expect(await listed({ spentOn: '2026-11-17' })).toEqual([]);
      expect((await world.store.findRun('b-old'))!.spent).toEqual(spent);
    });

    test('finds the runs that have places left', async () => {
      await rebuild('b-old', summary({ places: 2 }));
      expect(await listed({ hasPlaces: true })).toEqual(['b-old']);
      await rebuild('b-old', summary());
      expect(await listed({ hasPlaces: true })).toEqual([]);
    });

    test('keeps what is said of a run, and finds runs by it', async () => {
      const about = {
        name: 'Release 1.2',
        group: 'releases',
        labels: { team: 'web', stage: 'test' },
        note: 'a\nb',
      };
      await world.store.createRun(creation('c-said', { at: 4_000, summary: summary({ about }) }));
      await rebuild('b-old', summary({ about: { labels: { team: 'web' }, metadata: { n: [1, null] } } }));

      expect((await world.store.findRun('c-said'))!.about).toEqual(about);
      expect((await world.store.findRun('b-old'))!.about).toEqual({
        labels: { team: 'web' },
        metadata: { n: [1, null] },
      });
      expect((await world.store.findRun('b-mid'))!.about).toBe(undefined);
      expect(await listed({ group: 'releases' })).toEqual(['c-said']);
      expect(await listed({ group: 'release' })).toEqual([]);
      expect(await listed({ labels: { team: 'web' } })).toEqual(['c-said', 'b-old']);
      expect(await listed({ labels: { team: 'web' }, limit: 1 })).toEqual(['c-said']);
      expect(await listed({ labels: { team: 'web', stage: 'test' } })).toEqual(['c-said']);
      expect(await listed({ labels: { toString: 'web' } })).toEqual([]);
      expect(await listed({ name: 'release' })).toEqual(['c-said']);
      expect(await listed({ name: '%' })).toEqual([]);
    });

    test('keeps what is said of a run with the commit that changes it, and tells when it is not as it should be', async () => {
      const { store } = world;
      const lease = await store.createRun(
        creation('c-said', { summary: summary({ about: { name: 'one' } }) }),
      );
      await store.append(appending(lease, 2, { summary: summary({ about: { name: 'one' } }) }));
      await store.append(appending(lease, 3, { summary: summary({ about: { name: 'two' } }) }));
      const found = (await store.findRun('c-said'))!;
      expect(found.about).toEqual({ name: 'two' });
      expect(await store.compareRun(found)).toEqual([]);
      expect((await store.compareRun({ ...found, about: { name: 'one' } })).length).toBeGreaterThan(0);
      await store.append(appending(lease, 4));
      expect((await store.findRun('c-said'))!.about).toBe(undefined);
    });

    test('replaces a row that was folded anew, if the journal ends there, without touching the journal', async () => {
      const before = (await world.store.findRun('b-old'))!;
      const { store } = world;
      const expected = { ...before, status: 'held', reason: 'ask', updatedAt: 7, createdAt: 5 } as const;
      expect(await store.compareRun(before)).toEqual([]);
      const differences = await store.compareRun(expected);
      expect(differences.some((text) => /status .*"running".*"held"/.test(text))).toBe(true);
      await store.rebuildRun(expected);

      expect(await store.findRun('b-old')).toEqual(expected);
      expect(await store.compareRun(expected)).toEqual([]);
      await expect(store.rebuildRun({ ...expected, run: 'nobody' })).rejects.toMatchObject({
        code: 'RUN_NOT_FOUND',
      });
      await expect(store.rebuildRun({ ...expected, hash: 'other' })).rejects.toMatchObject({
        code: 'SEQ_CONFLICT',
      });
      expect(await store.findRun('b-old')).toEqual(expected);
    });

    test('knows the ids of all runs, newest first', async () => {
      expect(await world.store.listRunIds()).toEqual(await listed({}));
    });

    async function rebuild(run: string, given: RunSummary): Promise<void> {
      const { seq, hash, incarnation, createdAt, updatedAt } = (await world.store.findRun(run))!;
      await world.store.rebuildRun({ ...given, run, seq, hash, incarnation, createdAt, updatedAt });
    }
  });
}
