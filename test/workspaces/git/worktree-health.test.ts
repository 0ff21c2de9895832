import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  addWorktree,
  listWorktrees,
  lookAtWorktree,
  type WorktreePlace,
} from '../../../src/workspaces/git/index.ts';
import { plainEnvironment } from '../../support/git-orders.ts';
import {
  commit,
  gitBehind,
  playground,
  shell,
  testGit,
  write,
  type Playground,
} from '../../support/git-playground.ts';

async function afterwards(act: (place: WorktreePlace, ground: Playground) => void) {
  const ground = playground();
  const added = await addWorktree(ground.git, ground.order());
  act(added, ground);
  return lookAtWorktree(ground.git, ground.order());
}

describe('looking at a worktree', () => {
  test('a fresh one is clean, and so is one with commits', async () => {
    expect((await afterwards(() => undefined)).type).toBe('clean');
    expect((await afterwards(({ path }) => commit(path, { 'a.txt': 'x' }))).type).toBe('clean');
  });

  test('changed, staged, untracked and deleted files make it dirty, by name', async () => {
    const health = await afterwards(({ path }) => {
      write(path, { 'README.md': 'x', 'new folder/ü file.txt': 'x', 'staged.txt': 'x', 'ignored.log': 'x' });
      shell(path, 'add', 'staged.txt');
      rmSync(join(path, 'src/b.txt'));
    });
    expect(health).toMatchObject({ type: 'dirty', count: 4 });
    expect(health.type === 'dirty' && [...health.files].sort()).toEqual(
      ['README.md', 'new folder/ü file.txt', 'src/b.txt', 'staged.txt'].sort(),
    );
  });

  test('of thousands of files some are listed and all are counted', async () => {
    const health = await afterwards(({ path }) => {
      for (let index = 0; index < 500; index++) writeFileSync(join(path, `file-${index}`), '');
    });
    expect(health).toMatchObject({ type: 'dirty', count: 500 });
    expect(health.type === 'dirty' && health.files.length).toBe(100);
  });

  test('a detached HEAD that comes from the base is no drift', async () => {
    const health = await afterwards(({ path }) => {
      shell(path, 'checkout', '--quiet', '--detach');
      commit(path, { 'a.txt': 'x' });
    });
    expect(health.type).toBe('clean');
  });

  test('a deleted folder is missing, registered or not', async () => {
    const gone = await afterwards(({ path }) => rmSync(path, { recursive: true }));
    expect(gone).toEqual({ type: 'missing', isRegistered: true });
    const pruned = await afterwards(({ path }, { root }) => {
      rmSync(path, { recursive: true });
      shell(root, 'worktree', 'prune', '--expire=now');
    });
    expect(pruned).toEqual({ type: 'missing', isRegistered: false });
  });

  test.for<[string, (place: WorktreePlace, ground: Playground) => void]>([
    ['other-branch', ({ path }) => shell(path, 'checkout', '--quiet', '-b', 'feature')],
    ['not-descended', ({ path }) => shell(path, 'reset', '--quiet', '--hard', orphan(path))],
    [
      'replaced-folder',
      ({ path }) => {
        renameSync(path, `${path}-moved`);
        mkdirSync(path);
      },
    ],
    ['replaced-folder', ({ path }) => rmSync(join(path, '.git'))],
    ['replaced-folder', ({ path }) => replaceByFile(path)],
    [
      'other-repository',
      ({ path }) => {
        rmSync(join(path, '.git'));
        shell(path, 'init', '--quiet');
      },
    ],
    [
      'other-repository',
      ({ path }) => {
        const other = playground('other');
        rmSync(path, { recursive: true });
        shell(other.root, 'worktree', 'add', '--quiet', path);
      },
    ],
    ['unregistered', ({ gitDir }) => rmSync(gitDir, { recursive: true })],
    ['other-owner', ({ gitDir }) => rmSync(join(gitDir, 'piton.json'))],
    ['other-owner', ({ gitDir }) => writeFileSync(join(gitDir, 'piton.json'), '{"run": 3}')],
    [
      'no-commit',
      ({ path }, { order }) => {
        shell(path, 'checkout', '--quiet', '--detach');
        shell(path, 'update-ref', '-d', order().branch);
        shell(path, 'symbolic-ref', 'HEAD', order().branch);
      },
    ],
  ])('drift is told: %s', async ([how, act]) => {
    expect(await afterwards(act)).toMatchObject({ type: 'drifted', how });
  });

  test('one that cannot be looked at is unknown, with the reason', async () => {
    const { git, order } = playground();
    await addWorktree(git, order());
    const broken = testGit({ environment: plainEnvironment({ PATH: '/nonexistent' }) });
    expect(await lookAtWorktree(broken, order())).toMatchObject({
      type: 'unknown',
      why: expect.stringContaining('no git'),
    });
    const damaged = await afterwards(({ gitDir }) => writeFileSync(join(gitDir, 'index'), 'torn'));
    expect(damaged).toMatchObject({ type: 'unknown', why: expect.stringContaining('index') });
  });

  test('many cost one git each, and one for all of them together', async () => {
    const { git, order, repository, folder } = playground();
    const orders = Array.from({ length: 10 }, (_, index) => order(`task-${index}`));
    for (const one of orders) await addWorktree(git, one);
    const counter = join(folder, 'counter');
    const counting = testGit({ environment: gitBehind(`echo x >> ${counter}; exec "$GIT" "$@"`) });
    const entries = await listWorktrees(counting, repository);
    for (const one of orders) expect((await lookAtWorktree(counting, one, entries)).type).toBe('clean');
    expect(readFileSync(counter, 'utf8').trim().split('\n')).toHaveLength(11);
  });
});

function orphan(path: string): string {
  return shell(path, 'commit-tree', '-m', 'orphan', 'HEAD^{tree}');
}

function replaceByFile(path: string): void {
  rmSync(path, { recursive: true });
  writeFileSync(path, 'a file');
}
