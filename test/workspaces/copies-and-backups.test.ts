/** What people do with a project between two days of work: copy it, clone it anew, restore a backup of a part of it. */
import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Run } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { edit, git, openRepository, type RepositoryPlace } from '../support/repository-place.ts';
import { openPlace, played } from '../support/scripted-place.ts';

const writing = (file: string, more: Readonly<Record<string, unknown>> = {}): object =>
  played([[edit(file, 'made'), { answer: 'done' }]], more);

const held = (run: Run): Promise<void> =>
  eventually('it is held', async () => (await run.status()) === 'held');

const refsIn = (repository: string): string => git(repository, 'for-each-ref');

/** `first` is brought in, and `second` waits for a person; nobody drives it any more. */
async function waiting(): Promise<RepositoryPlace> {
  const place = await openRepository();
  const run = await place.run({ first: writing('one.txt'), second: secondOf('first') });
  await held(run);
  await place.piton.close();
  return place;
}

const secondOf = (needs: string): object => writing('two.txt', { needs, approval: 'Go on?' });

/** The same project, opened again; with another root, a copy of it. */
async function reopened({ root, repository }: Pick<RepositoryPlace, 'root' | 'repository'>) {
  const { piton } = await openPlace({ store: `sqlite:${join(root, 'piton.db')}` }, repository);
  const { definition } = await piton.definitionOf('run');
  const resume = (): Promise<Run> => piton.resume(definition, 'run');
  return { piton, resume };
}

const approve = (run: Run): Promise<unknown> => run.approve('second');

/** Why its second task waits, apart from the approval. */
async function reasonOf(run: Run): Promise<string | undefined> {
  for await (const event of run.events()) if (event.type === 'task.held') return event.data.reason;
  return undefined;
}

test('a project that was copied does not go on with the runs of the original, nor change its repository; the original does', async () => {
  const place = await waiting();
  const copy = `${place.root}-copy`;
  cpSync(place.root, copy, { recursive: true });
  try {
    const before = refsIn(place.repository);
    const other = await reopened({ root: copy, repository: join(copy, 'repository') });
    const elsewhere = {
      code: 'RUN_ELSEWHERE',
      message: expect.stringContaining(`belongs to the store ${place.root}`),
    };
    await expect(other.resume()).rejects.toMatchObject(elsewhere);
    await expect(other.piton.merge('run', { partial: true })).rejects.toMatchObject(elsewhere);
    expect(refsIn(place.repository)).toBe(before);
    const { resume } = await reopened(place);
    await held(await resume());
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test('a store that was moved, and is no copy, goes on with its runs', async () => {
  const place = await waiting();
  const moved = join(place.root, 'moved');
  cpSync(join(place.root, 'piton.db'), join(moved, 'piton.db'));
  rmSync(join(place.root, 'piton.db'));
  const { resume } = await reopened({ root: moved, repository: place.repository });
  expect(await (await resume()).status()).toBe('held');
});

test('a store restored from a backup does not do again what the branch of the run holds already', async () => {
  const place = await waiting();
  const backup = join(place.root, 'backup');
  cpSync(join(place.root, 'piton.db'), backup);
  const { piton, resume } = await reopened(place);
  const run = await resume();
  await approve(run);
  expect((await run.result()).status).toBe('succeeded');
  await piton.close();
  const before = refsIn(place.repository);
  for (const end of ['-wal', '-shm']) rmSync(join(place.root, `piton.db${end}`), { force: true });
  renameSync(backup, join(place.root, 'piton.db'));

  const older = await reopened(place);
  const behind = { code: 'RUN_BEHIND', message: expect.stringContaining('an older copy') };
  await expect(older.resume()).rejects.toMatchObject(behind);
  expect(refsIn(place.repository)).toBe(before);
  // As it says: what the spool and the repository know is gone on with, and nothing is done again.
  await older.piton.repair('run');
  const again = await older.resume();
  await approve(again);
  expect((await again.result()).status).toBe('succeeded');
  expect(git(place.repository, 'diff', '--name-only', 'main', 'piton/run')).toBe('one.txt\ntwo.txt');
  expect(refsIn(place.repository)).toBe(before);
});

test('in a repository that does not have what was brought in, tasks are held and nothing begins at the base once more', async () => {
  const place = await waiting();
  const { root, repository } = place;
  renameSync(repository, join(root, 'old'));
  git(root, 'clone', '-q', '--no-local', '--single-branch', '--branch', 'main', 'old', 'repository');
  const { resume } = await reopened(place);
  const run = await resume();
  await approve(run);
  expect(await reasonOf(run)).toContain('does not have what tasks have made');
  expect(refsIn(repository)).not.toContain('piton/run');
  // Brought back as it says.
  git(repository, 'fetch', '-q', '../old', 'piton/run:piton/run');
  await run.retry('second');
  expect((await run.result()).status).toBe('succeeded');
  expect(git(repository, 'diff', '--name-only', 'main', 'piton/run')).toBe('one.txt\ntwo.txt');
});

test('a branch that was deleted with all refs of Piton is made again where the journal has it', async () => {
  const place = await waiting();
  const { repository } = place;
  git(repository, 'update-ref', '-d', 'refs/heads/piton/run');
  git(repository, 'update-ref', '-d', 'refs/piton/runs/run');
  const { resume } = await reopened(place);
  const run = await resume();
  await approve(run);
  expect((await run.result()).status).toBe('succeeded');
  expect(git(repository, 'diff', '--name-only', 'main', 'piton/run')).toBe('one.txt\ntwo.txt');
});
