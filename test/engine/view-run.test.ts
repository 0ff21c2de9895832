import { expect, onTestFinished, test } from 'vitest';
import { chainHash, sha256, systemClock } from '../../src/base/index.ts';
import { encodeCommit } from '../../src/engine/codec.ts';
import { loadRun, sealSnapshot, viewRun } from '../../src/engine/load-run.ts';
import { encodeState } from '../../src/kernel/index.ts';
import { stateGraph } from '../../src/index.ts';
import { journalVersion, type StoredCommit } from '../../src/model/index.ts';
import type { Snapshot, Store } from '../../src/store/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { openPiton } from '../support/open-piton.ts';

const steps = 60;
const run = 'r';

/** A run that has ended, with a snapshot in the middle of its journal. */
async function endedRun(): Promise<{ store: Store; middle: number; end: number; snapshot: Snapshot }> {
  const url = `memory:view-${Math.random()}`;
  const piton = await openPiton({ store: url });
  const counting = stateGraph<{ n: number }>('counting', { state: { n: 0 } })
    .node('a', ({ n }) => ({ n: n + 1 }))
    .edge('a', 'end', ({ n }) => n >= steps)
    .edge('a', 'a');
  await (await piton.start(counting, { id: run })).result();
  await piton.close();
  const store = await openMemoryStore(url, { durability: 'full', clock: systemClock });
  onTestFinished(() => store.close());
  const { seq: end } = (await store.findRun(run))!;
  const middle = end - 10;
  const { state, head } = await loadRun(store, run, middle);
  const snapshot = sealSnapshot(state, head);
  await store.saveSnapshot(snapshot);
  return { store, middle, end, snapshot };
}

/** The same store, with other answers of some methods. */
function answering(store: Store, answers: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(answers, name) ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The same store, which counts the commits that were read of it. */
function counted(store: Store): { store: Store; commitsRead: () => number } {
  let commits = 0;
  const readCommits: Store['readCommits'] = async (of, page) => {
    const read = await store.readCommits(of, page);
    commits += read.length;
    return read;
  };
  return { store: answering(store, { readCommits }), commitsRead: () => commits };
}

async function textOf(loading: ReturnType<typeof loadRun>): Promise<string> {
  const { state, head } = await loading;
  return JSON.stringify(head) + encodeState(state);
}

test('who looks at a run reads the snapshot and what follows it, and sees what the whole journal tells', async () => {
  const { store, middle, end } = await endedRun();
  for (const upTo of [undefined, end, end - 3, middle, middle - 1, 1]) {
    const { store: watched, commitsRead } = counted(store);
    expect(await textOf(viewRun(watched, run, upTo))).toBe(await textOf(loadRun(store, run, upTo)));
    const isAfter = upTo === undefined || upTo >= middle;
    expect(commitsRead() <= end - middle + 1, `up to ${upTo}`).toBe(isAfter);
  }
  const beyond = { code: 'CHECKPOINT_NOT_FOUND', details: { run } };
  await expect(viewRun(store, run, end + 1)).rejects.toMatchObject(beyond);
  await expect(viewRun(store, 'other')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
});

/** What it says is believed as far as it is what was written, of this history and in this format. */
test.for<[string, (snapshot: Snapshot) => Partial<Snapshot>, boolean]>([
  ['as it was written', () => ({}), true],
  ['with another text', ({ text }) => ({ text: text.replaceAll('"n":', '"n":1') }), false],
  ['without a text', () => ({ text: '' }), false],
  ['of another commit', () => ({ hash: sha256('another') }), false],
  ['of a commit that is not there', ({ seq }) => ({ seq: seq + 100 }), false],
  ['of another format', ({ format }) => ({ format: format + 1 }), false],
])('a snapshot %s', async ([, change, isUsed]) => {
  const { store, middle, end, snapshot } = await endedRun();
  const { store: watched, commitsRead } = counted(store);
  const loadSnapshot = async (): Promise<Snapshot> => ({ ...snapshot, ...change(snapshot) });

  const seen = await textOf(viewRun(answering(watched, { loadSnapshot }), run));

  expect(JSON.parse(seen.slice(seen.indexOf('}') + 1))).toMatchObject({
    seq: end,
    phase: { status: 'succeeded' },
  });
  expect(seen).toContain(`"n":${steps}`);
  expect(commitsRead() <= end - middle + 1).toBe(isUsed);
});

test('a snapshot of a history that was cut is not used', async () => {
  const { store, middle, snapshot } = await endedRun();
  const lastGood = (await store.readCommits(run, { after: middle - 6, limit: 1 }))[0]!;
  const { lease } = await store.takeLease({
    name: `run:${run}`,
    owner: { host: 'h', bootId: 'b', pidNamespace: 'p', pid: 1, startTime: '1', instance: 'i' },
    token: 'token',
    leaseMs: 60_000,
  });
  const data = { lostFrom: middle - 4, lostTo: middle + 10, held: [], reason: 'cut' };
  const cut = { run, seq: middle - 4, at: 2, epoch: lease.epoch, version: journalVersion };
  const { stored } = encodeCommit({ ...cut, events: [{ type: 'run.repaired', data }] }, lastGood.hash);
  const summary = (await store.findRun(run))!;
  await store.quarantine({ commit: stored, blobs: [], summary, at: 2, lease, lastGood });
  await store.releaseLease(lease);
  // Whoever let go of the run has been slow to keep it.
  await store.saveSnapshot(snapshot);

  const { state } = await viewRun(store, run);

  expect(state.seq).toBe(middle - 4);
});

test.for<[string, (commits: readonly StoredCommit[]) => readonly StoredCommit[]]>([
  [
    'changed',
    (commits) => commits.map((commit) => ({ ...commit, body: commit.body.replace(/"at":\d+/, '"at":1') })),
  ],
  ['missing in the middle', (commits) => commits.toSpliced(-2, 1)],
  ['missing at the end', (commits) => commits.slice(0, -1)],
  ['all missing', () => []],
])('a commit after the snapshot that is %s is damage', async ([, change]) => {
  const { store, middle } = await endedRun();
  const readCommits: Store['readCommits'] = async (of, page) => {
    const commits = await store.readCommits(of, page);
    const before = commits.filter(({ seq }) => seq <= middle);
    return [...before, ...change(commits.filter(({ seq }) => seq > middle))];
  };
  const damaged = viewRun(answering(store, { readCommits }), run);
  await expect(damaged).rejects.toMatchObject({ code: 'RUN_DAMAGED' });
});

test('a journal that is shorter than its row or its mirror tells is damaged, though a snapshot is of its end', async () => {
  const { store, end } = await endedRun();
  const { state, head } = await loadRun(store, run);
  await store.saveSnapshot(sealSnapshot(state, head));
  const record = (await store.findRun(run))!;
  const answers: Partial<Store>[] = [
    { findRun: async () => ({ ...record, seq: end + 1 }) },
    { findRun: async () => ({ ...record, seq: end - 1 }) },
    { findRun: async () => ({ ...record, hash: sha256('another') }) },
    { witnessedSeq: async () => end + 1 },
  ];
  for (const answer of answers)
    await expect(viewRun(answering(store, answer), run)).rejects.toMatchObject({ code: 'RUN_DAMAGED' });
});

test('a snapshot does not hide that its commit, or one after it, was written by a newer Piton', async () => {
  const { store, middle, end, snapshot } = await endedRun();
  for (const newer of [middle, end]) {
    const commits = asNewer(await store.readCommits(run, { after: 0, limit: 999 }), newer);
    const hashAt = (seq: number): string => commits[seq - 1]!.hash;
    const record = { ...(await store.findRun(run))!, hash: hashAt(end) };
    const rewritten = answering(store, {
      readCommits: async (_, { after, limit }) => commits.slice(after, after + limit),
      findRun: async () => record,
      loadSnapshot: async () => ({ ...snapshot, hash: hashAt(middle) }),
    });
    const refused = { code: 'RUN_TOO_NEW', details: { seq: newer } };
    await expect(viewRun(rewritten, run)).rejects.toMatchObject(refused);
  }
});

/** The journal as it would be, had the next version gone on with it. */
function asNewer(commits: readonly StoredCommit[], from: number): StoredCommit[] {
  let previous = '0'.repeat(64);
  return commits.map((commit) => {
    const version = commit.seq >= from ? journalVersion + 1 : journalVersion;
    const body = commit.body.replace(/"version":\d+/, `"version":${version}`);
    previous = chainHash(previous, body);
    return { ...commit, body, hash: previous };
  });
}
