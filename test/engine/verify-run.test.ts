import { expect, onTestFinished, test } from 'vitest';
import { genesis, systemClock } from '../../src/base/index.ts';
import { encodeCommit } from '../../src/engine/codec.ts';
import { verifyAllRuns, verifyRun } from '../../src/engine/verify-run.ts';
import type { WitnessPorts } from '../../src/engine/witnesses.ts';
import { createdEvent } from '../../src/engine/opening-events.ts';
import { workflow as buildWorkflow } from '../../src/index.ts';
import { foldCommit, summaryOf } from '../../src/kernel/index.ts';
import { journalVersion, type Commit, type Event } from '../../src/model/index.ts';
import { LocalSpool } from '../../src/spool/local/index.ts';
import type { Store } from '../../src/store/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import type { Workspaces } from '../../src/workspaces/index.ts';
import { mirrorStore } from '../../src/store/mirror/index.ts';
import { creation, appending } from '../../src/testing/store-requests.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Nothing is known of the run outside of its store. */
function elsewhere(): Omit<WitnessPorts, 'store'> {
  const spool = new LocalSpool({
    folder: temporaryFolder(),
    keys: temporaryFolder(),
    graceMs: 0,
    durability: 'process',
  });
  return { spool, workspaces: { witness: async () => undefined } as Partial<Workspaces> as Workspaces };
}
const { workflow } = buildWorkflow('flow').task('a', () => 1);
const opening = createdEvent(workflow, { run: 'r1', inputs: {} });

function commitAt(seq: number, previousHash: string) {
  const data = { epoch: seq, host: 'here', pid: 1, instance: 'ada' };
  const event: Event = seq === 1 ? opening : { type: 'lease.taken', data };
  const commit: Commit = { run: 'r1', seq, at: seq, epoch: 1, version: journalVersion, events: [event] };
  return encodeCommit(commit, previousHash);
}

/** Nothing of it changes while the run grows. */
const unchanged = summaryOf(
  foldCommit(undefined, { run: 'r1', seq: 1, at: 1, epoch: 1, version: journalVersion, events: [opening] }),
);

/** A mirrored run, and the way to add one more commit to it. */
async function growingRun() {
  const inner = await openMemoryStore('memory:', { durability: 'full', clock: systemClock });
  const store = mirrorStore(inner, temporaryFolder());
  onTestFinished(() => store.close());
  const { stored, blobs } = commitAt(1, genesis);
  let head = stored;
  const lease = await store.createRun(creation('r1', { commit: head, blobs, summary: unchanged, at: 1 }));
  const grow = async (): Promise<void> => {
    head = commitAt(head.seq + 1, head.hash).stored;
    await store.append(appending(lease, head.seq, { commit: head, summary: unchanged, at: head.seq }));
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
      const data = { lostFrom: 2, lostTo: 5, held: [], reason: 'cut' };
      const event: Event = { type: 'run.repaired', data };
      const cut = { run: 'r1', seq: 2, at: 2, epoch: 1, version: journalVersion, events: [event] };
      const { stored: commit } = encodeCommit(cut, first!.hash);
      await store.quarantine({ commit, blobs: [], summary: unchanged, at: 2, lease, lastGood: first! });
    };

    expect(await verifyRun({ store: disturbed(store, repairOnce), ...elsewhere() }, 'r1')).toMatchObject({
      ok: true,
    });
  },
);

test('a commit that does not fit is found also in a run that is being written to', async () => {
  const { store, grow, lease } = await growingRun();
  await grow();
  await store.append(appending(lease, 3, { commit: commitAt(3, genesis).stored, summary: unchanged }));
  let seq = 3;
  const growOn = async (): Promise<void> => {
    seq++;
    await store.append(appending(lease, seq, { commit: commitAt(seq, genesis).stored, summary: unchanged }));
  };

  const verdict = await verifyRun({ store: disturbed(store, growOn), ...elsewhere() }, 'r1');

  expect(verdict).toMatchObject({ ok: false, commits: 2, firstBad: 3 });
});

test('a journal that was relabelled to another run is found, though every hash in it fits', async () => {
  const store = await openMemoryStore('memory:', { durability: 'full', clock: systemClock });
  onTestFinished(() => store.close());
  const { stored: first } = commitAt(1, genesis);
  const { stored: second } = commitAt(2, first.hash);
  const lease = await store.createRun(creation('r2', { commit: { ...first, run: 'r2' } }));
  await store.append(appending(lease, 2, { commit: { ...second, run: 'r2' }, summary: unchanged }));

  expect(await verifyRun({ store, ...elsewhere() }, 'r2')).toMatchObject({
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

test('what lists show of a run is compared with its journal, and each difference named', async () => {
  const { store, grow } = await growingRun();
  await grow();
  const record = (await store.findRun('r1'))!;
  await store.rebuildRun({ ...record, status: 'succeeded', updatedAt: 99 });

  expect(await verifyRun({ store: store, ...elsewhere() }, 'r1')).toMatchObject({
    ok: false,
    commits: 2,
    faults: expect.arrayContaining([
      {
        in: 'row',
        what: 'its updatedAt is 99, not 2',
        consequence: expect.any(String),
        remedy: expect.stringContaining('--repair'),
      },
      expect.objectContaining({ what: 'its status is "succeeded", not "running"' }),
    ]),
  });
});

test('a run that a newer Piton has written is named with the others, also where it tells of attempts', async () => {
  const { store, grow, lease } = await growingRun();
  await grow();
  const [second] = await store.readCommits('r1', { after: 1, limit: 1 });
  const event = { type: 'attempt.started', task: 'a', attempt: 'x', data: { number: 1 } } as Event;
  const commit = { run: 'r1', seq: 3, at: 3, epoch: 1, version: journalVersion + 1, events: [event] };
  const { stored } = encodeCommit(commit, second!.hash);
  await store.append(appending(lease, 3, { commit: stored, summary: unchanged, at: 3 }));

  expect(await verifyAllRuns({ store, ...elsewhere() })).toMatchObject([
    { run: 'r1', ok: false, faults: [{ in: 'version', seq: 3, remedy: expect.stringContaining('Update') }] },
  ]);
});
