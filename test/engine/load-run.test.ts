import { expect, onTestFinished, test } from 'vitest';
import { chainHash, genesis, sha256, systemClock } from '../../src/base/index.ts';
import { loadRun } from '../../src/engine/load-run.ts';
import { workflow } from '../../src/index.ts';
import { journalVersion, type StoredCommit } from '../../src/model/index.ts';
import type { RunRecord, Snapshot, Store } from '../../src/store/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { openPiton } from '../support/open-piton.ts';

/** A run that has succeeded and left a snapshot, and its store with another snapshot in place of that. */
async function ended(url: string) {
  const piton = await openPiton({ store: url });
  const flow = workflow('flow', { checkpoint: { preserve: false } }).task('a', () => 'right');
  await (await piton.start(flow, { id: 'r' })).result();
  await piton.close();
  const store = await openMemoryStore(url, { durability: 'full', clock: systemClock });
  onTestFinished(() => store.close());
  const snapshot = (await store.loadSnapshot('r', Infinity))!;
  const withSnapshot = (change: Partial<Snapshot>): Store => insteadOf(store, { ...snapshot, ...change });
  return { snapshot, withSnapshot };
}

function insteadOf(store: Store, snapshot: Snapshot): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'loadSnapshot') return async () => snapshot;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

async function outputIn(store: Store): Promise<unknown> {
  const { state } = await loadRun(store, 'r');
  const life = state.tasks.get('a')!.life;
  return 'output' in life ? life.output : undefined;
}

test('a snapshot saves the work of folding, and is believed as far as it is what was written', async () => {
  const { snapshot, withSnapshot } = await ended('memory:snapshots');
  const content = snapshot.text.slice(64).replaceAll('right', 'wrong');
  const sealed = sha256(content) + content;

  expect(await outputIn(withSnapshot({})), 'as it is').toBe('right');
  expect(await outputIn(withSnapshot({ text: sealed })), 'it is what is read').toBe('wrong');
  expect(await outputIn(withSnapshot({ text: snapshot.text.slice(0, 64) + content })), 'changed').toBe(
    'right',
  );
  expect(await outputIn(withSnapshot({ text: sealed, hash: 'of another commit' })), 'of another').toBe(
    'right',
  );
  expect(await outputIn(withSnapshot({ text: sealed, format: -1 })), 'of another version').toBe('right');
});

test('a snapshot does not hide that its commits were written by a newer Piton', async () => {
  const { withSnapshot } = await ended('memory:newer');
  const store = withSnapshot({});
  const rewritten = new Proxy(store, {
    get(target, name) {
      if (name === 'readCommits') return () => target.readCommits('r', { after: 0, limit: 99 }).then(asNewer);
      if (name === 'findRun') return () => newerHead(target);
      if (name === 'loadSnapshot') return () => newerSnapshot(target);
      return Reflect.get(target, name) as unknown;
    },
  });
  await expect(loadRun(rewritten, 'r')).rejects.toMatchObject({ code: 'RUN_TOO_NEW', details: { seq: 1 } });
});

/** The journal as it would be, had its first commit been written by the next version. */
function asNewer(commits: readonly StoredCommit[]): StoredCommit[] {
  let previous = genesis;
  return commits.map((commit) => {
    const version = `"version":${journalVersion}`;
    const body =
      commit.seq === 1 ? commit.body.replace(version, `"version":${journalVersion + 1}`) : commit.body;
    previous = chainHash(previous, body);
    return { ...commit, body, hash: previous };
  });
}

async function newerHead(store: Store): Promise<RunRecord> {
  const head = asNewer(await store.readCommits('r', { after: 0, limit: 99 })).at(-1)!;
  return { ...(await store.findRun('r'))!, hash: head.hash };
}

async function newerSnapshot(store: Store): Promise<Snapshot> {
  return { ...(await store.loadSnapshot('r', Infinity))!, hash: (await newerHead(store)).hash };
}
