import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { queryObjects } from 'node:v8';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { manualClock, randomId } from '../../src/base/index.ts';
import type { Lease, StoredCommit } from '../../src/model/index.ts';
import { findLease, type Store } from '../../src/store/index.ts';
import { openMemoryStore } from '../../src/store/memory/index.ts';
import { mirrorStore } from '../../src/store/mirror/index.ts';
import { RunMirror } from '../../src/store/mirror/run-mirror.ts';
import { testStore } from '../../src/testing/index.ts';
import { appending, commit, creation, summary, taking, leaseOf } from '../../src/testing/store-requests.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

testStore(
  { describe, test, beforeEach, afterEach },
  {
    name: 'a mirrored store',
    prepare: ({ folder, clock }) => {
      const name = randomId();
      const open = async (url: string) =>
        mirrorStore(await openMemoryStore(url, { durability: 'full', clock }), join(folder, 'mirror'));
      return {
        open: () => open(`memory:${name}`),
        openSilent: () => open(`memory:${name}?heartbeat=off`),
      };
    },
    cannot: {
      backup: 'the store behind it, here one in memory, has nothing to copy',
      damage: 'nothing but the store behind it can get at its memory',
    },
  },
);

/** A store, its mirror, and the files of run r1. */
async function mirrored() {
  const folder = temporaryFolder();
  const inner = await openMemoryStore('memory:', { durability: 'full', clock: manualClock() });
  const store = mirrorStore(inner, folder);
  onTestFinished(() => store.close());
  const journal = join(folder, 'r1', 'journal.jsonl');
  /** As a new process would find it. */
  const reopened = (): Store => mirrorStore(inner, folder);
  return { folder, inner, store, journal, reopened, files: join(folder, 'r1') };
}

function linesOf(file: string): { seq: number; hash: string; commit: unknown }[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as { seq: number; hash: string; commit: unknown });
}

const seqsIn = (file: string): number[] => linesOf(file).map(({ seq }) => seq);

function bound(store: Store, key: keyof Store): unknown {
  const member = store[key];
  return typeof member === 'function' ? member.bind(store) : member;
}

function mirrorsInMemory(): number {
  return Number(queryObjects(RunMirror, { format: 'count' }));
}

async function appendUpTo(store: Store, lease: Lease, last: number): Promise<void> {
  for (let seq = 2; seq <= last; seq++) await store.append(appending(lease, seq));
}

describe('a mirror', () => {
  test('shows every commit as a readable line that still holds the hashed text to the letter', async () => {
    const { store, journal } = await mirrored();
    const lease = await store.createRun(creation('r1'));
    const odd: StoredCommit = { run: 'r1', seq: 2, body: '{"a" : "ü\\u0001",  "b":"}"}', hash: 'h"2\\' };
    await store.append(appending(lease, 2, { commit: odd }));

    expect(linesOf(journal).map(({ seq, hash, commit }) => ({ seq, hash, commit }))).toEqual([
      { seq: 1, hash: commit('r1', 1).hash, commit: JSON.parse(commit('r1', 1).body) as unknown },
      { seq: 2, hash: odd.hash, commit: JSON.parse(odd.body) as unknown },
    ]);
    expect(readFileSync(journal, 'utf8')).toContain(`,"commit":${odd.body}}\n`);
  });

  test('shows the row of the run beside its journal', async () => {
    const { store, files } = await mirrored();
    const lease = await store.createRun(creation('r1'));
    await store.append(appending(lease, 2));

    const last: unknown = JSON.parse(readFileSync(join(files, 'last.json'), 'utf8'));
    expect(last).toEqual(await store.findRun('r1'));
  });

  test('has a commit by the time whoever asked for it goes on', async () => {
    const { store, journal } = await mirrored();
    const lease = await store.createRun(creation('r1'));
    expect(seqsIn(journal)).toEqual([1]);
    await Promise.all([2, 3, 4].map((seq) => store.append(appending(lease, seq))));
    expect(seqsIn(journal)).toEqual([1, 2, 3, 4]);
  });

  test('shows nothing of a commit that was refused', async () => {
    const { store, journal } = await mirrored();
    const lease = await store.createRun(creation('r1'));
    await expect(store.append(appending(lease, 5))).rejects.toMatchObject({ code: 'SEQ_CONFLICT' });

    expect(seqsIn(journal)).toEqual([1]);
  });

  test('makes up for what it missed when the run is written to again', async () => {
    const { inner, journal, reopened } = await mirrored();
    const lease = await inner.createRun(creation('r1'));
    await appendUpTo(inner, lease, 1_200);
    await reopened().append(appending(lease, 1_201));

    expect(seqsIn(journal)).toEqual(Array.from({ length: 1_201 }, (_, index) => index + 1));
  });

  test('makes up for what it missed when the run is taken by the next driver', async () => {
    const { inner, store, journal, reopened } = await mirrored();
    const lease = await store.createRun(creation('r1'));
    await appendUpTo(inner, lease, 3);
    await reopened().takeLease(taking('run:r1', { replaces: lease.token }));

    expect(seqsIn(journal)).toEqual([1, 2, 3]);
  });

  test('cuts off a line that was being written when the process died', async () => {
    const { store, journal, reopened } = await mirrored();
    const lease = await store.createRun(creation('r1'));
    await store.append(appending(lease, 2));
    truncateSync(journal, readFileSync(journal).length - 20);
    await reopened().append(appending(lease, 3));

    expect(seqsIn(journal)).toEqual([1, 2, 3]);
  });

  test('keeps what it could not read aside, when it is not just the last line', async () => {
    const { store, files, journal, reopened } = await mirrored();
    const lease = await store.createRun(creation('r1'));
    await appendUpTo(store, lease, 3);
    const [first, second, third] = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, `${first}\n#${second}\n${third}\n`);
    expect(await reopened().witnessedSeq('r1')).toBe(3);
    await reopened().append(appending(lease, 4));

    expect(seqsIn(journal)).toEqual([1, 2, 3, 4]);
    expect(readFileSync(join(files, 'set-aside-1.jsonl'), 'utf8')).toBe(`#${second}\n${third}\n`);
  });

  test('does not repeat what another driver has written meanwhile', async () => {
    const { store, journal, reopened } = await mirrored();
    const lease = await store.createRun(creation('r1'));
    const other = reopened();
    await other.append(appending(lease, 2));
    await store.append(appending(lease, 3));
    await other.append(appending(lease, 4));

    expect(seqsIn(journal)).toEqual([1, 2, 3, 4]);
  });

  test('does not repeat what its successor has written while it was held up after its commit', async () => {
    const { inner, journal, folder, reopened } = await mirrored();
    const successor = reopened();
    const held = new Proxy(inner, {
      get: (store, key: keyof Store) => (key === 'append' ? appendAndDawdle : bound(store, key)),
    });
    const appendAndDawdle: Store['append'] = async (request) => {
      await inner.append(request);
      await successor.append(appending(lease, 3));
    };
    const store = mirrorStore(held, folder);
    const lease = await store.createRun(creation('r1'));
    await store.append(appending(lease, 2));

    expect(seqsIn(journal)).toEqual([1, 2, 3]);
  });

  test('is compressed when the run has ended, and opened again if it goes on after all', async () => {
    const { store, files, journal } = await mirrored();
    const lease = await store.createRun(creation('r1'));
    await store.append(appending(lease, 2, { summary: summary({ status: 'failed' }) }));
    expect(readdirSync(files).sort()).toEqual(['journal.jsonl.gz', 'last.json']);
    expect(gunzipSync(readFileSync(`${journal}.gz`)).toString()).toMatch(
      /^\{"seq":1,.*\}\n\{"seq":2,.*\}\n$/,
    );

    await store.append(appending(lease, 3));
    expect(seqsIn(journal)).toEqual([1, 2, 3]);
    expect(existsSync(`${journal}.gz`)).toBe(false);
  });

  test('takes no memory for runs that have ended, or were only looked at', async () => {
    const { store } = await mirrored();
    const before = mirrorsInMemory();
    const running = await store.createRun(creation('running'));
    for (const run of ['r1', 'r2', 'r3']) {
      const lease = await store.createRun(creation(run));
      await store.append(appending(lease, 2));
      await store.append(appending(lease, 3, { summary: summary({ status: 'succeeded' }), release: {} }));
      await store.witnessedSeq(`${run}-unknown`);
    }
    await store.append(appending(running, 2));

    expect(mirrorsInMemory()).toBe(before + 1);
    expect(await store.witnessedSeq('r1')).toBe(3);
  });

  test('loses nothing of a run that died while its journal was being compressed', async () => {
    const { store, journal, reopened } = await mirrored();
    const lease = await store.createRun(creation('r1'));
    await store.append(appending(lease, 2));
    writeFileSync(`${journal}.gz`, 'half');
    await reopened().append(appending(lease, 3));

    expect(seqsIn(journal)).toEqual([1, 2, 3]);
    expect(existsSync(`${journal}.gz`)).toBe(false);
  });

  test('keeps runs with awkward names in folders of their own', async () => {
    const { store, folder } = await mirrored();
    const names = [
      '../escape',
      'Build',
      'build',
      '..',
      'a/b',
      'naïve',
      'x'.repeat(400),
      `${'x'.repeat(400)}y`,
    ];
    for (const run of names) await store.createRun(creation(run));

    expect(readdirSync(folder)).toHaveLength(names.length);
    for (const run of names) expect(await store.witnessedSeq(run)).toBe(1);
  });
});

describe('as a witness, a mirror', () => {
  test('shows the highest commit it has seen', async () => {
    const { store, reopened } = await mirrored();
    expect(await store.witnessedSeq('r1')).toBeUndefined();
    const lease = await store.createRun(creation('r1'));
    await appendUpTo(store, lease, 3);

    expect(await store.witnessedSeq('r1')).toBe(3);
    expect(await reopened().witnessedSeq('r1')).toBe(3);
  });

  test('shows it of a run of very many commits', async () => {
    const { store, files, journal } = await mirrored();
    mkdirSync(files);
    const lines = Array.from(
      { length: 150_000 },
      (_, index) => `{"seq":${index + 1},"hash":"h","commit":{}}\n`,
    );
    writeFileSync(journal, lines.join(''));

    expect(await store.witnessedSeq('r1')).toBe(150_000);
  });

  test('shows it also when the run is compressed, or its journal lost', async () => {
    const { store, files } = await mirrored();
    const lease = await store.createRun(creation('r1'));
    await store.append(appending(lease, 2, { summary: summary({ status: 'succeeded' }) }));
    rmSync(join(files, 'last.json'));
    expect(await store.witnessedSeq('r1')).toBe(2);

    await store.append(appending(lease, 3));
    rmSync(join(files, 'journal.jsonl'));
    expect(await store.witnessedSeq('r1')).toBe(3);
  });

  test('keeps showing what the journal has lost, until the run is written to again', async () => {
    const { folder, files, store } = await mirrored();
    await appendUpTo(store, await store.createRun(creation('r1')), 3);
    // The database was replaced by one that holds less, as an old backup would.
    const old = await openMemoryStore('memory:', { durability: 'full', clock: manualClock() });
    const lease = await old.createRun(creation('r1'));
    const restored = mirrorStore(old, folder);
    await restored.takeLease(taking('run:r1', { replaces: lease.token }));
    expect(await restored.witnessedSeq('r1')).toBe(3);

    const { lease: next } = await restored.takeLease(
      taking('run:r1', { replaces: (await findLease(old, 'run:r1'))!.token }),
    );
    await restored.append(appending(next, 2, { commit: commit('r1', 2, 'another') }));
    expect(await restored.witnessedSeq('r1')).toBe(2);
    expect(seqsIn(join(files, 'set-aside-1.jsonl'))).toEqual([2, 3]);
  });

  test("adds nothing to a history that is not the journal's, however long the journal has become", async () => {
    const { folder, journal, store } = await mirrored();
    const first = await store.createRun(creation('r1'));
    await store.append(appending(first, 2, { commit: commit('r1', 2, 'as it was') }));
    const before = readFileSync(journal, 'utf8');
    const restored = await openMemoryStore('memory:', { durability: 'full', clock: manualClock() });
    const lease = await restored.createRun(creation('r1'));
    await appendUpTo(restored, lease, 5);
    await mirrorStore(restored, folder).takeLease(taking('run:r1', { replaces: lease.token }));

    expect(readFileSync(journal, 'utf8')).toBe(before);
  });

  test('goes back with a journal that was cut back, and keeps the tail aside', async () => {
    const { store, files, journal } = await mirrored();
    const lease = await store.createRun(creation('r1'));
    await appendUpTo(store, lease, 4);
    await store.quarantine({
      ...appending(lease, 3, { commit: commit('r1', 3, 'repaired') }),
      lastGood: { seq: 2, hash: commit('r1', 2).hash },
    });

    expect(await store.witnessedSeq('r1')).toBe(3);
    expect(seqsIn(journal)).toEqual([1, 2, 3]);
    expect(seqsIn(join(files, 'set-aside-1.jsonl'))).toEqual([3, 4]);
    await store.append(appending(lease, 4, { commit: commit('r1', 4, 'again') }));
    expect(await store.witnessedSeq('r1')).toBe(4);
  });

  test('goes with a run that was pruned, and stays when it is the store that was lost', async () => {
    const { store, folder } = await mirrored();
    const ended = { summary: summary({ status: 'succeeded' }), release: true };
    await store.createRun(creation('r1', ended));
    await store.createRun(creation('r2', ended));
    await store.prune({ leaseOf, runs: ['r1'] });
    expect(readdirSync(folder)).toEqual(['r2']);

    const empty = await openMemoryStore('memory:', { durability: 'full', clock: manualClock() });
    const replaced = mirrorStore(empty, folder);
    await replaced.prune({ leaseOf, before: Infinity });
    expect(readdirSync(folder)).toEqual(['r2']);
  });
});

describe('a mirror that cannot be written', () => {
  test('leaves the commits standing, says so once, and catches up when it can', async () => {
    const warnings: Error[] = [];
    const hear = (warning: Error): number => warnings.push(warning);
    process.on('warning', hear);
    onTestFinished(() => void process.off('warning', hear));
    const { store, folder, journal } = await mirrored();
    const lease = await store.createRun(creation('r1'));
    rmSync(join(folder, 'r1'), { recursive: true });
    writeFileSync(join(folder, 'r1'), 'in the way');
    await store.append(appending(lease, 2));
    await store.append(appending(lease, 3));

    expect((await store.findRun('r1'))?.seq).toBe(3);
    expect(
      warnings.filter((warning) => 'code' in warning && warning.code === 'PITON_MIRROR_BEHIND'),
    ).toHaveLength(1);
    rmSync(join(folder, 'r1'));
    await store.append(appending(lease, 4));
    expect(seqsIn(journal)).toEqual([1, 2, 3, 4]);
  });
});
