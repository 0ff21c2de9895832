import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Git } from '../../src/workspaces/git/index.ts';
import type { RepositoryOrigin, Upkeep } from '../../src/workspaces/index.ts';
import { makeUpkeep } from '../../src/workspaces/upkeep/index.ts';
import { git } from '../support/git-project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Scene {
  readonly repository: RepositoryOrigin;
  readonly upkeep: Upkeep;
  readonly archives: string;
  /** A commit on top of what a ref points to, without touching the checkout; gives it to another ref. */
  commit(from: string, to: string): void;
}

function newScene(): Scene {
  const root = temporaryFolder();
  const folder = join(root, 'repository');
  mkdirSync(folder);
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'first');
  const base = git(folder, 'rev-parse', 'HEAD');
  const archives = join(root, 'archive');
  return {
    repository: { root: folder, commonDir: join(folder, '.git'), base, prefix: '' },
    upkeep: makeUpkeep({ git: new Git({ environment: process.env, durability: 'process' }), archives }),
    archives,
    commit(from, to) {
      const commit = git(folder, 'commit-tree', '-m', to, '-p', from, `${from}^{tree}`);
      git(folder, 'update-ref', to, commit);
    },
  };
}

test('a branch counts as merged when one of the user holds it, here or in a remote repository', async () => {
  const { repository, upkeep, commit } = newScene();
  const { root } = repository;
  for (const run of ['open', 'pushed', 'merged', 'taken']) commit('main', `refs/heads/piton/${run}`);
  git(root, 'update-ref', 'refs/remotes/origin/piton/pushed', 'piton/pushed');
  git(root, 'update-ref', 'refs/heads/feature', 'piton/merged');
  git(root, 'update-ref', 'refs/remotes/origin/main', 'piton/taken');

  const merged = await upkeep.mergedBranches(repository, ['open', 'pushed', 'merged', 'taken', 'absent']);
  expect(merged.map(({ run, into }) => [run, into])).toEqual([
    ['merged', 'refs/heads/feature'],
    ['taken', 'refs/remotes/origin/main'],
  ]);
});

test('a branch stays that has moved, or whose holder was moved, since it was looked at', async () => {
  const { repository, upkeep, commit } = newScene();
  const { root } = repository;
  for (const run of ['one', 'two']) {
    commit('main', `refs/heads/piton/${run}`);
    git(root, 'update-ref', `refs/heads/${run}`, `piton/${run}`);
  }
  const [one, two] = await upkeep.mergedBranches(repository, ['one', 'two']);
  commit('piton/one', 'refs/heads/piton/one');
  git(root, 'update-ref', 'refs/heads/two', 'main');

  expect(await upkeep.dropBranch(repository, one!)).toBe(false);
  expect(await upkeep.dropBranch(repository, two!)).toBe(false);
  expect(git(root, 'for-each-ref', '--format=%(refname)', 'refs/heads/piton').split('\n')).toHaveLength(2);
});

test('with a branch goes what Piton knows it by; where somebody has deleted the branch, that alone', async () => {
  const { repository, upkeep, commit } = newScene();
  const { root } = repository;
  for (const run of ['one', 'two', 'three']) {
    commit('main', `refs/heads/piton/${run}`);
    git(root, 'update-ref', `refs/piton/runs/${run}`, `piton/${run}`);
  }
  git(root, 'update-ref', 'refs/heads/feature', 'piton/one');
  git(root, 'update-ref', 'refs/heads/other', 'piton/two');
  for (const run of ['two', 'three']) git(root, 'update-ref', '-d', `refs/heads/piton/${run}`);

  const merged = await upkeep.mergedBranches(repository, ['one', 'two', 'three']);
  for (const branch of merged) expect(await upkeep.dropBranch(repository, branch)).toBe(true);
  expect(git(root, 'for-each-ref', '--format=%(refname)').split('\n')).toEqual([
    'refs/heads/feature',
    'refs/heads/main',
    'refs/heads/other',
    'refs/piton/runs/three',
  ]);
});

test('nothing is dropped that is no archive', async () => {
  const { repository, upkeep, archives, commit } = newScene();
  commit('main', 'refs/heads/piton/run');
  for (const name of [
    'refs/heads/main',
    'refs/heads/piton/run',
    repository.root,
    archives,
    `${archives}/../repository`,
  ])
    await expect(upkeep.dropArchive(repository, name)).rejects.toMatchObject({ code: 'REF_NOT_OURS' });
  expect(existsSync(repository.root)).toBe(true);

  commit('main', 'refs/piton/archive/run/task/1');
  await upkeep.dropArchive(repository, 'refs/piton/archive/run/task/1');
  await upkeep.dropArchive(repository, 'refs/piton/archive/run/task/1');
  const folder = join(archives, 'run/task/1');
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}.piton.json`, '{}');
  await upkeep.dropArchive(undefined, folder);
  expect(existsSync(folder) || existsSync(`${folder}.piton.json`)).toBe(false);
});

test('what a folder takes is counted without following links, and an archive by what it alone holds', async () => {
  const { repository, upkeep, archives } = newScene();
  mkdirSync(join(archives, 'deep/er'), { recursive: true });
  writeFileSync(join(archives, 'deep/er/file'), Buffer.alloc(200_000, 'x'));
  symlinkSync('/', join(archives, 'everything'));
  const bytes = await upkeep.bytesOf(undefined, archives);
  expect(bytes).toBeGreaterThanOrEqual(200_000);
  expect(bytes).toBeLessThan(300_000);
  expect(await upkeep.bytesOf(undefined, join(archives, 'absent'))).toBe(0);

  git(repository.root, 'update-ref', 'refs/piton/archive/run/task/1', 'main');
  expect(await upkeep.bytesOf(repository, 'refs/piton/archive/run/task/1')).toBe(0);
});
