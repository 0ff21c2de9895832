/** Runs that an earlier version has written and left in the middle are read as that version read them. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sha256, systemClock } from '../../src/base/index.ts';
import { loadRun, sealSnapshot, viewRun } from '../../src/engine/load-run.ts';
import { encodeState, snapshotFormat } from '../../src/kernel/index.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import {
  addSnapshots,
  fixtureNames,
  golden,
  readFixture,
  readSnapshots,
} from '../support/interrupted/fixture.ts';
import { commitsOf, decoded, loadJournal, nowhere, type LoadedFixture } from '../support/interrupted/load.ts';
import { courseOf, shownBy, summaryText } from '../support/interrupted/shown.ts';
import { newProject } from '../cli/command-line.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const names = fixtureNames();
/** Of the version that wrote the snapshots that are kept. */
const formatThen: number = 10;

async function openIn(folder: string): Promise<Store> {
  const store = await openStore(`sqlite:${join(folder, 'piton.db')}`, {
    durability: 'process',
    clock: systemClock,
  });
  onTestFinished(() => store.close());
  return store;
}

test('every commit of a run is understood as it was then, and what is shown of it is the same', async () => {
  const project = newProject();
  const store = await openIn(join(project.folder, '.piton'));
  const now: Record<string, string> = {};
  for (const name of names) {
    const fixture = readFixture(name);
    const { state } = await loadJournal(store, fixture, nowhere);
    const commits = await decoded(commitsOf(fixture, nowhere));
    now[name] = [courseOf(commits), summaryText(state), await shownBy(project, name, commits)].join('');
  }
  const was = names.map((name) => [name, golden(name, 'shown.txt', now[name]!)]);
  expect(now).toEqual(Object.fromEntries(was));
});

interface Snapshots {
  readonly store: Store;
  readonly loaded: ReadonlyMap<string, LoadedFixture>;
  readonly now: Readonly<Record<string, string>>;
  readonly was: Readonly<Record<string, string>>;
}

async function snapshots(): Promise<Snapshots> {
  const store = await openIn(temporaryFolder());
  const loaded = new Map<string, LoadedFixture>();
  for (const name of names) loaded.set(name, await loadJournal(store, readFixture(name), nowhere));
  const now = Object.fromEntries([...loaded].map(([name, { state }]) => [name, encodeState(state)]));
  if (snapshotFormat === formatThen) addSnapshots(now);
  return { store, loaded, now, was: readSnapshots() };
}

test.runIf(snapshotFormat === formatThen)('as long as its format is the same, so is a snapshot', async () => {
  const { now, was } = await snapshots();
  expect(now).toEqual(was);
});

test('a snapshot of then is used as the same state, or not at all', async () => {
  const { store, loaded, now, was } = await snapshots();
  const used: Record<string, string> = {};
  for (const [run, { last }] of loaded) {
    const text = was[run]!;
    await store.saveSnapshot({ ...last, run, format: formatThen, text: sha256(text) + text });
    used[run] = encodeState((await loadRun(store, run)).state);
  }
  expect(used).toEqual(now);
});

test('who looks at one of these runs sees the same, wherever the snapshot is that it begins with', async () => {
  const { store, loaded, now } = await snapshots();
  for (const [run, { last }] of loaded) {
    for (const seq of new Set([1, Math.ceil(last.seq / 2), last.seq])) {
      const { state, head } = await loadRun(store, run, seq);
      await store.saveSnapshot(sealSnapshot(state, head));
      expect(encodeState((await viewRun(store, run)).state), `${run}@${seq}`).toBe(now[run]);
    }
  }
});
