import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  addWorktree,
  archiveWorktree,
  proveKept,
  readRef,
  removeWorktree,
  restoreArchive,
  taskBranch,
  type AddedWorktree,
  type ArchiveOrder,
} from '../../../src/workspaces/git/index.ts';
import { at, trailers } from '../../support/git-orders.ts';
import {
  commit,
  fingerprint,
  fsck,
  playground,
  shell,
  userState,
  write,
  type Playground,
} from '../../support/git-playground.ts';

interface Scene extends Playground {
  readonly worktree: AddedWorktree;
  readonly path: string;
  readonly archiving: ArchiveOrder;
  restored(): Promise<AddedWorktree>;
}

async function scene(): Promise<Scene> {
  const ground = playground();
  const worktree = await addWorktree(ground.git, ground.order());
  const archiving = { worktree, trailers, at, caches: ['node_modules'] };
  return {
    ...ground,
    worktree,
    path: worktree.path,
    archiving,
    restored: async () => {
      const { ref } = await archiveWorktree(ground.git, archiving);
      const given = { ...ground.order('again'), branch: taskBranch('run-1', 'again'), archive: ref };
      return restoreArchive(ground.git, given);
    },
  };
}

function filesOf(path: string): string {
  return fingerprint(path, (name) => /(^|\/)(\.git|node_modules)$/.test(name));
}

describe('an archive', () => {
  test('brings back tracked, untracked and ignored files, the index and HEAD, but no caches', async () => {
    const ground = await scene();
    const head = commit(ground.path, { 'committed.txt': 'x' });
    write(ground.path, {
      'README.md': 'changed',
      'staged.txt': 'staged',
      'untracked ü.txt': 'new',
      'secrets.log': 'ignored',
      'dist/deep/out': 'ignored',
      'node_modules/x/index.js': 'cache',
    });
    shell(ground.path, 'add', 'staged.txt');
    write(ground.path, { 'staged.txt': 'staged, then changed' });
    rmSync(join(ground.path, 'src/b.txt'));
    const before = [filesOf(ground.path), shell(ground.path, 'status', '--porcelain')];
    const user = userState(ground.root);
    const again = await ground.restored();
    expect(userState(ground.root)).toBe(user);
    expect(again.head).toBe(head);
    expect([filesOf(again.path), shell(again.path, 'status', '--porcelain')]).toEqual(before);
    expect(existsSync(join(again.path, 'node_modules'))).toBe(false);
    expect(fsck(ground.root)).toBe('');
  });

  test('is proven to hold everything, and after removal brings it back', async () => {
    const ground = await scene();
    write(ground.path, { 'a.txt': 'a', 'b.log': 'b' });
    const before = filesOf(ground.path);
    const { ref } = await archiveWorktree(ground.git, ground.archiving);
    expect(await proveKept(ground.git, ground.archiving)).toEqual({ isKept: true, missing: [] });
    expect(await removeWorktree(ground.git, ground.order())).toEqual({ type: 'removed' });
    shell(ground.root, 'reflog', 'expire', '--expire=now', '--all');
    shell(ground.root, 'gc', '--quiet', '--prune=now');
    const again = await restoreArchive(ground.git, { ...ground.order(), archive: ref });
    expect(filesOf(again.path)).toBe(before);
  });

  test('keeps commits that only the reflog, a rebase or a stash led to', async () => {
    const ground = await scene();
    const resetAway = commit(ground.path, { 'a.txt': 'a' });
    shell(ground.path, 'reset', '--quiet', '--hard', ground.base);
    shell(ground.path, 'checkout', '--quiet', '--detach');
    const detached = commit(ground.path, { 'b.txt': 'b' });
    shell(ground.path, 'checkout', '--quiet', ground.base);
    write(ground.path, { 'README.md': 'stashed' });
    shell(ground.path, 'stash', '--quiet');
    const stash = shell(ground.path, 'rev-parse', 'refs/stash');
    await archiveWorktree(ground.git, ground.archiving);
    await removeWorktree(ground.git, ground.order());
    shell(ground.root, 'stash', 'clear');
    shell(ground.root, 'reflog', 'expire', '--expire=now', '--all');
    shell(ground.root, 'gc', '--quiet', '--prune=now');
    for (const one of [resetAway, detached, stash])
      expect(shell(ground.root, 'cat-file', '-t', one)).toBe('commit');
  });

  test('does not take the user’s earlier stashes for the agent’s', async () => {
    const ground = playground();
    write(ground.root, { 'README.md': 'mine' });
    shell(ground.root, 'stash', '--quiet');
    const mine = shell(ground.root, 'rev-parse', 'refs/stash');
    const worktree = await addWorktree(ground.git, ground.order());
    const { manifest } = await archiveWorktree(ground.git, { worktree, trailers, at, caches: [] });
    expect(manifest.commits).not.toContain(mine);
  });

  test('made again of an unchanged worktree is the same', async () => {
    const ground = await scene();
    write(ground.path, { 'a.txt': 'a' });
    const first = await archiveWorktree(ground.git, ground.archiving);
    expect(await archiveWorktree(ground.git, ground.archiving)).toEqual(first);
    expect(await readRef(ground.git, ground.repository, first.ref)).toBe(first.commit);
  });

  test('restored once is not restored again over later work', async () => {
    const ground = await scene();
    write(ground.path, { 'a.txt': 'a' });
    const again = await ground.restored();
    write(again.path, { 'a.txt': 'later work' });
    await ground.restored();
    expect(readFileSync(join(again.path, 'a.txt'), 'utf8')).toBe('later work');
  });
});

describe('repositories inside of a worktree', () => {
  test('come back with their branches, stashes, lost commits, files and index', async () => {
    const ground = await scene();
    const inner = join(ground.path, 'vendor/ü clone');
    mkdirSync(inner, { recursive: true });
    shell(inner, 'init', '--quiet', '--initial-branch=trunk');
    commit(inner, { 'x.txt': 'one', '.gitignore': '*.tmp' });
    const lost = commit(inner, { 'x.txt': 'two' });
    shell(inner, 'reset', '--quiet', '--hard', 'HEAD~1');
    write(inner, { 'x.txt': 'stashed' });
    shell(inner, 'stash', '--quiet');
    shell(inner, 'branch', 'side');
    write(inner, { 'new.txt': 'new', 'ignored.tmp': 'ignored', 'x.txt': 'changed' });
    shell(inner, 'add', 'new.txt');
    const refs = shell(
      inner,
      'for-each-ref',
      '--format=%(refname) %(objectname)',
      'refs/heads',
      'refs/stash',
    );
    const before = [filesOf(ground.path), shell(inner, 'status', '--porcelain', '--branch'), refs];
    const again = await ground.restored();
    const back = join(again.path, 'vendor/ü clone');
    expect([
      filesOf(again.path),
      shell(back, 'status', '--porcelain', '--branch'),
      shell(back, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/stash'),
    ]).toEqual(before);
    expect(shell(back, 'cat-file', '-t', lost)).toBe('commit');
    expect(await proveKept(ground.git, ground.archiving)).toEqual({ isKept: true, missing: [] });
  });

  test('come back from everywhere: without commits, in a tracked folder, ignored, in each other, shallow', async () => {
    const ground = await scene();
    for (const name of ['empty', 'src', 'dist/ignored', 'outer', 'outer/inner']) {
      mkdirSync(join(ground.path, name), { recursive: true });
      shell(join(ground.path, name), 'init', '--quiet');
    }
    write(ground.path, { 'empty/x': 'x', 'src/new': 'x' });
    commit(join(ground.path, 'dist/ignored'), { y: 'y' });
    commit(join(ground.path, 'outer/inner'), { z: 'z' });
    commit(ground.root, { later: 'x' });
    shell(ground.path, 'clone', '--quiet', '--depth=1', `file://${ground.root}`, 'shallow');
    const before = filesOf(ground.path);
    const again = await ground.restored();
    expect(filesOf(again.path)).toBe(before);
    expect(shell(join(again.path, 'shallow'), 'log', '--format=%s')).toBe('work');
    expect(shell(join(again.path, 'outer/inner'), 'log', '--format=%s')).toBe('work');
    expect(fsck(join(again.path, 'shallow'))).toBe('');
    expect(await proveKept(ground.git, ground.archiving)).toEqual({ isKept: true, missing: [] });
  });

  test('another worktree of the same repository is kept without a copy of the repository', async () => {
    const ground = await scene();
    const sibling = join(ground.path, 'sibling');
    shell(ground.path, 'worktree', 'add', '--quiet', '--detach', sibling);
    commit(sibling, { 'deep.txt': 'x' });
    write(sibling, { 'loose.txt': 'x' });
    const { manifest, commit: archive } = await archiveWorktree(ground.git, ground.archiving);
    expect(manifest.siblings).toMatchObject([{ path: 'sibling' }]);
    expect(shell(ground.root, 'ls-tree', '--name-only', archive)).toBe('manifest.json');
    const before = filesOf(sibling);
    const again = await ground.restored();
    expect(filesOf(join(again.path, 'sibling'))).toBe(before);
  });

  test('a submodule comes back with the commits that were made in it', async () => {
    const ground = playground();
    const library = playground('library');
    shell(
      ground.root,
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      library.root,
      'lib',
    );
    const base = commit(ground.root, {}, 'with a submodule');
    const worktree = await addWorktree(ground.git, ground.order('build', { base }));
    shell(worktree.path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
    const inner = commit(join(worktree.path, 'lib'), { 'x.txt': 'x' });
    const archiving = { worktree, trailers, at, caches: [] };
    const { ref } = await archiveWorktree(ground.git, archiving);
    expect(await proveKept(ground.git, archiving)).toEqual({ isKept: true, missing: [] });
    expect(await removeWorktree(ground.git, ground.order())).toEqual({ type: 'removed' });
    const again = await restoreArchive(ground.git, { ...ground.order('build', { base }), archive: ref });
    expect(shell(join(again.path, 'lib'), 'rev-parse', 'HEAD')).toBe(inner);
  });
});

describe('the proof that all is kept', () => {
  test('fails without an archive', async () => {
    const ground = await scene();
    expect(await proveKept(ground.git, ground.archiving)).toMatchObject({ isKept: false });
  });

  test.for<[string, (path: string) => unknown]>([
    ['a changed file', (path) => write(path, { 'README.md': 'late' })],
    ['a new ignored file', (path) => write(path, { 'late.log': 'late' })],
    ['a new commit', (path) => commit(path, { 'late.txt': 'late' })],
    [
      'a commit that was made and reset away',
      (path) => {
        commit(path, { 'late.txt': 'late' });
        shell(path, 'reset', '--quiet', '--hard', 'HEAD~1');
      },
    ],
    [
      'something staged and taken back in the tree',
      (path) => {
        write(path, { 'late.txt': 'late' });
        shell(path, 'add', 'late.txt');
        rmSync(join(path, 'late.txt'));
      },
    ],
    [
      'a new stash',
      (path) => {
        write(path, { 'README.md': 'late' });
        shell(path, 'stash', '--quiet');
      },
    ],
    [
      'a new nested repository',
      (path) => {
        mkdirSync(join(path, 'late'));
        shell(join(path, 'late'), 'init', '--quiet');
      },
    ],
    ['a commit in a nested repository', (path) => commit(join(path, 'nested'), { late: 'late' })],
  ])('fails after %s', async ([, change]) => {
    const ground = await scene();
    mkdirSync(join(ground.path, 'nested'));
    shell(join(ground.path, 'nested'), 'init', '--quiet');
    commit(join(ground.path, 'nested'), { x: 'x' });
    await archiveWorktree(ground.git, ground.archiving);
    expect(await proveKept(ground.git, ground.archiving)).toEqual({ isKept: true, missing: [] });
    change(ground.path);
    const { isKept, missing } = await proveKept(ground.git, ground.archiving);
    expect(isKept).toBe(false);
    expect(missing.length).toBeGreaterThan(0);
  });

  test('holds for a repository that git cannot open: it is files', async () => {
    const ground = await scene();
    write(ground.path, { 'odd/.git': 'gitdir: /nowhere', 'odd/file': 'x' });
    await archiveWorktree(ground.git, ground.archiving);
    expect(await proveKept(ground.git, ground.archiving)).toEqual({ isKept: true, missing: [] });
  });

  test('does not fail for a pipe, which has nothing to lose', async () => {
    const ground = await scene();
    execFileSync('mkfifo', [join(ground.path, 'pipe')]);
    const { manifest } = await archiveWorktree(ground.git, ground.archiving);
    expect(manifest.leftOut).toEqual([{ path: 'pipe', why: 'special-file' }]);
    expect((await proveKept(ground.git, ground.archiving)).isKept).toBe(true);
  });

  test('fails if an object of the archive is missing', async () => {
    const ground = await scene();
    const lost = commit(ground.path, { 'only-here.txt': 'a text that is nowhere else' });
    shell(ground.path, 'reset', '--quiet', '--hard', ground.base);
    await archiveWorktree(ground.git, ground.archiving);
    const blob = shell(ground.root, 'rev-parse', `${lost}:only-here.txt`);
    rmSync(join(ground.root, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    const { missing } = await proveKept(ground.git, ground.archiving);
    expect(missing).toEqual([
      { what: expect.any(String) as string, why: expect.stringContaining('missing') as string },
    ]);
  });
});
