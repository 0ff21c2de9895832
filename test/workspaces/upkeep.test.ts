import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guarded } from '../../src/base/index.ts';
import { archivesOf, Git, keptRef, runTipRef, savedRef, taskBranch } from '../../src/workspaces/git/index.ts';
import type { KeptCare, RepositoryOrigin } from '../../src/workspaces/index.ts';
import { makeUpkeep } from '../../src/workspaces/upkeep/index.ts';
import { git } from '../support/git-project.ts';
import { copyRepository } from '../support/template.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const runsNamed = (...runs: string[]): { run: string }[] => runs.map((run) => ({ run }));

interface Scene {
  readonly repository: RepositoryOrigin;
  readonly upkeep: KeptCare;
  readonly archives: string;
  /** A commit on top of what a ref points to, without touching the checkout; gives it to another ref. */
  commit(from: string, to: string): void;
}

function make(folder: string): void {
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'first');
}

function newScene(): Scene {
  const root = temporaryFolder();
  const folder = join(root, 'repository');
  copyRepository({ name: 'upkeep', make }, folder);
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

  const merged = await upkeep.mergedBranches(
    repository,
    runsNamed('open', 'pushed', 'merged', 'taken', 'absent'),
  );
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
  const [one, two] = await upkeep.mergedBranches(repository, runsNamed('one', 'two'));
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

  const merged = await upkeep.mergedBranches(repository, runsNamed('one', 'two', 'three'));
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

/** The branch of run `r1` changes a file, and `main` goes on. Gives its tip. */
function branchWithWork({ repository: { root } }: Scene): string {
  const files = { 'a.txt': 'a\n', 'b.txt': 'b\n' };
  git(root, 'checkout', '-q', '-b', 'work');
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(root, name), text);
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', name);
  }
  git(root, 'update-ref', 'refs/heads/piton/r1', 'work');
  git(root, 'update-ref', runTipRef('r1'), 'work');
  git(root, 'checkout', '-q', 'main');
  git(root, 'branch', '-q', '-D', 'work');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'meanwhile');
  return git(root, 'rev-parse', 'piton/r1');
}

function squash({ root }: RepositoryOrigin, message: string): void {
  git(root, 'checkout', '-q', 'piton/r1', '--', '.');
  git(root, 'commit', '-q', '-m', message);
}

function refsIn({ root }: RepositoryOrigin): string[] {
  return git(root, 'for-each-ref', '--format=%(refname)').split('\n');
}

test('a branch that was squashed is archived once and deleted, wherever it is stopped in between', async () => {
  let stops = 0;
  for (let isStopped = true; isStopped; stops++) {
    const scene = newScene();
    const { repository, upkeep } = scene;
    const tip = branchWithWork(scene);
    squash(repository, `All of it\n\nPiton-Delivered: ${tip}`);
    const [merged] = await upkeep.mergedBranches(repository, [{ run: 'r1' }]);
    expect(merged).toMatchObject({
      into: 'refs/heads/main',
      squash: git(repository.root, 'rev-parse', 'main'),
    });

    let effects = 0;
    const guard = async (): Promise<void> => {
      if (effects++ === stops) throw new Error('stopped');
    };
    isStopped = await guarded(guard, () => upkeep.dropBranch(repository, merged!)).then(
      () => false,
      () => true,
    );
    for (const again of await upkeep.mergedBranches(repository, [{ run: 'r1' }]))
      expect(await upkeep.dropBranch(repository, again)).toBe(true);
    const [main, archive, ...others] = refsIn(repository);
    expect([main, others]).toEqual(['refs/heads/main', []]);
    expect(archive).toContain(archivesOf('r1', 'branch'));
    expect(git(repository.root, 'merge-base', '--is-ancestor', tip, archive!)).toBe('');
  }
  expect(stops).toBeGreaterThan(3);
});

test('a branch that a service squashed is recognised by its change, where the journal says into what it was to go', async () => {
  const scene = newScene();
  const { repository, upkeep } = scene;
  branchWithWork(scene);
  const { root } = repository;
  const find = async (into?: string): Promise<number> =>
    (await upkeep.mergedBranches(repository, [{ run: 'r1', ...(into !== undefined && { into }) }])).length;
  expect(await find('main')).toBe(0);
  squash(repository, 'All of it (#1)');
  git(root, 'update-ref', 'refs/remotes/origin/main', 'main');
  git(root, 'reset', '-q', '--hard', 'main~1');
  expect([await find(), await find('other'), await find('main')]).toEqual([0, 0, 1]);

  git(root, 'checkout', '-q', '--detach', 'origin/main');
  writeFileSync(join(root, 'a.txt'), 'changed since\n');
  git(root, 'commit', '-q', '-am', 'on top');
  git(root, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
  expect(await find('main')).toBe(1);
  git(root, 'checkout', '-q', 'piton/r1');
  expect(await find('main')).toBe(0);
});

test('every ref that keeps something is named by run and task, unless a place that stands explains it', async () => {
  const { repository, upkeep, commit } = newScene();
  const oid = repository.base;
  const kept = keptRef('Run 1', 'a task', oid);
  const branches = ['a task~2', 'there'].map((task) => taskBranch('Run 1', task));
  const [gone = '', there = ''] = branches.map(savedRef);
  const others = [keptRef('old', 'x', oid), runTipRef('old'), runTipRef('r1'), 'refs/heads/piton/r1'];
  for (const ref of [kept, gone, there, ...others, 'refs/piton/archive/r1/x/1', 'refs/piton/kept/1'])
    git(repository.root, 'update-ref', ref, oid);
  commit('main', 'refs/heads/piton/forgotten');

  const found = await upkeep.keptRefs(repository, {
    runs: ['Run 1', 'r1'],
    tasks: [{ run: 'Run 1', task: 'a task', generation: 1 }],
    places: [{ path: '/there', token: 't', branch: branches[1]! }],
  });
  const at = Number(git(repository.root, 'log', '-1', '--format=%ct', oid)) * 1000;
  expect(new Set(found)).toEqual(
    new Set([
      { ref: kept, what: 'commit', run: 'Run 1', task: 'a task', at },
      { ref: gone, what: 'saved', run: 'Run 1', task: 'a task', at },
      { ref: others[0], what: 'commit', run: 'old', task: 'x', at },
      { ref: others[1], what: 'tip', run: 'old', at },
      { ref: 'refs/heads/piton/r1', what: 'branch', run: 'r1', at },
    ]),
  );
  for (const { ref, what } of found) if (what !== 'branch') await upkeep.dropArchive(repository, ref);
  expect(refsIn(repository)).toEqual(
    ['refs/heads/main', 'refs/heads/piton/forgotten', 'refs/heads/piton/r1', there, runTipRef('r1')]
      .concat(['refs/piton/archive/r1/x/1', 'refs/piton/kept/1'])
      .sort(),
  );
});
