import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { encodeCommit, genesis } from '../../src/engine/codec.ts';
import { verifyRun } from '../../src/engine/verify-run.ts';
import type { WitnessPorts } from '../../src/engine/witnesses.ts';
import { journalVersion, type Commit } from '../../src/model/index.ts';
import { Spool } from '../../src/spool/index.ts';
import type { Store } from '../../src/store/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import type { Workspaces } from '../../src/workspaces/index.ts';
import { mirrorStore } from '../../src/store/mirror/index.ts';
import { creation, appending, summary } from '../support/store-requests.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Nothing is known of the run outside of its store. */
function elsewhere(): Omit<WitnessPorts, 'store'> {
  const spool = new Spool({ folder: temporaryFolder(), graceMs: 0, durability: 'process' });
  return { spool, workspaces: { witness: async () => undefined } as Partial<Workspaces> as Workspaces };
}

function commitAt(seq: number, previousHash: string) {
  const data = { epoch: seq, host: 'here', pid: 1, instance: 'ada' };
  const commit: Commit = {
    run: 'r1',
    seq,
    at: seq,
    epoch: 1,
    version: journalVersion,
    events: [{ type: 'lease.taken', data }],
  };
  return encodeCommit(commit, previousHash).stored;
}

/** A mirrored run, and the way to add one more commit to it. */
async function growingRun() {
  const inner = await openMemoryStore('memory:', { durability: 'full', clock: systemClock });
  const store = mirrorStore(inner, temporaryFolder());
  onTestFinished(() => store.close());
  let head = commitAt(1, genesis);
  const lease = await store.createRun(creation('r1', { commit: head }));
  const grow = async (): Promise<void> => {
    head = commitAt(head.seq + 1, head.hash);
    await store.append(appending(lease, head.seq, { commit: head, summary: summary() }));
  };
  return { store, grow, lease };
}

const looks = ['witnessedSeq', 'findRun', 'readCommits'] as const;

/** The same store, to which something happens right before and right after every look at it. */
function disturbed(store: Store, disturb: () => Promise<void>): Store {
  const disturbing = (look: (typeof looks)[number]) => async (run: string, page: never) => {
    await disturb();
    const seen = await store[look](run, page);
    await disturb();
    return seen;
  };
  return { ...store, ...Object.fromEntries(looks.map((look) => [look, disturbing(look)])) };
}

test('a run that is written to between any two looks at it is not damaged', async () => {
  const { store, grow } = await growingRun();

  expect(await verifyRun({ store: disturbed(store, grow), ...elsewhere() }, 'r1')).toMatchObject({
    ok: true,
  });
});

test.for([1, 2, 3, 4, 5, 6])(
  'a run that is cut back by a repair while it is read (moment %i) is not damaged',
  async (moment) => {
    const { store, grow, lease } = await growingRun();
    for (let seq = 2; seq <= 5; seq++) await grow();
    const [first] = await store.readCommits('r1', { after: 0, limit: 1 });
    let times = 0;
    const repairOnce = async (): Promise<void> => {
      if (++times !== moment) return;
      const commit = commitAt(2, first!.hash);
      const { token } = lease;
      await store.quarantine({ commit, blobs: [], summary: summary(), at: 9, token, lastGood: first! });
    };

    expect(await verifyRun({ store: disturbed(store, repairOnce), ...elsewhere() }, 'r1')).toMatchObject({
      ok: true,
    });
  },
);

test('a commit that does not fit is found also in a run that is being written to', async () => {
  const { store, grow, lease } = await growingRun();
  await grow();
  await store.append(appending(lease, 3, { commit: { ...commitAt(3, genesis) }, summary: summary() }));
  let seq = 3;
  const growOn = async (): Promise<void> => {
    seq++;
    await store.append(appending(lease, seq, { commit: commitAt(seq, genesis), summary: summary() }));
  };

  const verdict = await verifyRun({ store: disturbed(store, growOn), ...elsewhere() }, 'r1');

  expect(verdict).toMatchObject({ ok: false, commits: 2, firstBad: 3 });
});

test('a journal that was relabelled to another run is found, though every hash in it fits', async () => {
  const store = await openMemoryStore('memory:', { durability: 'full', clock: systemClock });
  onTestFinished(() => store.close());
  const first = commitAt(1, genesis);
  const second = commitAt(2, first.hash);
  const lease = await store.createRun(creation('r2', { commit: { ...first, run: 'r2' } }));
  await store.append(appending(lease, 2, { commit: { ...second, run: 'r2' }, summary: summary() }));

  expect(await verifyRun({ store, ...elsewhere() }, 'r2')).toEqual({
    run: 'r2',
    commits: 0,
    ok: false,
    firstBad: 1,
    reason: 'commit 1 belongs elsewhere',
  });
});

test('a run whose own row names another last commit than its journal has is damaged', async () => {
  const { store, grow } = await growingRun();
  await grow();
  const other = {
    ...store,
    findRun: async (run: string) => ({ ...(await store.findRun(run))!, hash: 'other' }),
  };

  expect(await verifyRun({ store: other, ...elsewhere() }, 'r1')).toMatchObject({
    ok: false,
    reason: "the run's own row names another last commit",
  });
});
