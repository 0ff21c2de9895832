import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  addWorktree,
  commitResult,
  keptRef,
  readRef,
  type AddedWorktree,
  type ResultOrder,
  type TaskResult,
} from '../../../src/workspaces/git/index.ts';
import { at, trailers } from '../../support/git-orders.ts';
import {
  commit,
  fingerprint,
  fsck,
  playground,
  shell,
  treeOf,
  userState,
  write,
  type Playground,
} from '../../support/git-playground.ts';

interface Scene extends Playground {
  readonly worktree: AddedWorktree;
  readonly path: string;
  result(more?: Partial<ResultOrder>): Promise<TaskResult>;
  branch(): Promise<string | undefined>;
}

async function scene(): Promise<Scene> {
  const ground = playground();
  const worktree = await addWorktree(ground.git, ground.order());
  const ref = ground.order().branch;
  const order = { worktree, base: ground.base, ref, message: 'The result of build', trailers, at };
  return {
    ...ground,
    worktree,
    path: worktree.path,
    result: (more = {}) => commitResult(ground.git, { ...order, ...more }),
    branch: () => readRef(ground.git, ground.repository, ref),
  };
}

function committed(result: TaskResult) {
  if (result.type !== 'committed') throw new Error(`the result is ${result.type}`);
  return result;
}

describe('the result of a task', () => {
  test('without any change is the base itself', async () => {
    const { result, branch, base } = await scene();
    expect(await result()).toEqual({ type: 'unchanged', commit: base, leftOut: [] });
    expect(await branch()).toBe(base);
  });

  test('is all that the agent left, committed on the branch, and the worktree is clean afterwards', async () => {
    const ground = await scene();
    write(ground.path, { 'new.txt': 'new', 'README.md': 'changed', 'x.log': 'ignored' });
    rmSync(join(ground.path, 'src/b.txt'));
    const before = [userState(ground.root), fingerprint(ground.path)];
    const { commit: made, isDescended, leftBehind } = committed(await ground.result());
    expect([userState(ground.root), fingerprint(ground.path)]).toEqual(before);
    expect([isDescended, leftBehind, await ground.branch()]).toEqual([true, [], made]);
    expect(Object.keys(treeOf(ground.root, made))).toEqual([
      '.gitignore',
      'README.md',
      'new.txt',
      'src/a.txt',
    ]);
    expect(shell(ground.root, 'log', '-1', '--format=%P %s %(trailers:separator=%x2C)', made)).toBe(
      `${ground.base} The result of build Piton-Run: run-1,Piton-Task: build,Piton-Attempt: a1,Piton-Seq: 7`,
    );
    expect(shell(ground.path, 'rev-parse', 'HEAD')).toBe(made);
    expect(shell(ground.path, 'status', '--porcelain')).toBe('');
    expect(fsck(ground.root)).toBe('');
  });

  test('made again is the same commit', async () => {
    const ground = await scene();
    write(ground.path, { 'new.txt': 'new' });
    const first = await ground.result();
    expect(await ground.result()).toEqual(first);
    expect(await ground.result({ at: at + 5_000 })).toEqual(first);
  });

  test('that was written to after it was made gets a second commit', async () => {
    const ground = await scene();
    write(ground.path, { 'new.txt': 'new' });
    const first = committed(await ground.result());
    write(ground.path, { 'late.txt': 'late' });
    const second = committed(await ground.result());
    expect(shell(ground.root, 'rev-parse', `${second.commit}^`)).toBe(first.commit);
  });

  test('contains the commits that the agent made itself', async () => {
    const ground = await scene();
    const own = commit(ground.path, { 'a.txt': 'a' });
    const { commit: made } = committed(await ground.result());
    expect(shell(ground.root, 'rev-parse', `${made}^`)).toBe(own);
    expect(shell(ground.root, 'rev-parse', `${made}^{tree}`)).toBe(
      shell(ground.root, 'rev-parse', `${own}^{tree}`),
    );
  });

  test('is found where the agent moved HEAD: another branch', async () => {
    const ground = await scene();
    shell(ground.path, 'checkout', '--quiet', '-b', 'feature');
    const own = commit(ground.path, { 'a.txt': 'a' });
    write(ground.path, { 'b.txt': 'b' });
    const { commit: made } = committed(await ground.result());
    expect(shell(ground.root, 'rev-parse', `${made}^`)).toBe(own);
    expect(await ground.branch()).toBe(made);
    expect(shell(ground.path, 'rev-parse', 'feature')).toBe(own);
    expect(shell(ground.path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/feature');
    expect(committed(await ground.result()).commit).toBe(made);
  });

  test('is found where the agent moved HEAD: detached', async () => {
    const ground = await scene();
    shell(ground.path, 'checkout', '--quiet', '--detach');
    const own = commit(ground.path, { 'a.txt': 'a' });
    const { commit: made } = committed(await ground.result());
    expect(shell(ground.root, 'rev-parse', `${made}^`)).toBe(own);
    expect(await ground.branch()).toBe(made);
    expect(committed(await ground.result()).commit).toBe(made);
  });

  test('of a rebased or amended history is the new history', async () => {
    const ground = await scene();
    commit(ground.path, { 'a.txt': 'a' }, 'one');
    commit(ground.path, { 'b.txt': 'b' }, 'two');
    shell(ground.path, 'reset', '--quiet', '--soft', ground.base);
    shell(ground.path, 'commit', '--quiet', '-m', 'squashed');
    shell(ground.path, 'commit', '--quiet', '--amend', '-m', 'amended');
    const { commit: made, isDescended } = committed(await ground.result());
    expect(isDescended).toBe(true);
    expect(shell(ground.root, 'log', '--format=%s', made)).toBe('The result of build\namended\nfirst');
  });

  test('leaves commits behind that the branch had and HEAD has not, and keeps them', async () => {
    const ground = await scene();
    const abandoned = commit(ground.path, { 'a.txt': 'a' });
    shell(ground.path, 'checkout', '--quiet', '-b', 'fresh', ground.base);
    commit(ground.path, { 'b.txt': 'b' });
    const { leftBehind } = committed(await ground.result());
    expect(leftBehind).toEqual([abandoned]);
    expect(await readRef(ground.git, ground.repository, keptRef('run-1', 'build', abandoned))).toBe(
      abandoned,
    );
  });

  test('whose branch the agent has deleted has its branch again', async () => {
    const ground = await scene();
    shell(ground.path, 'checkout', '--quiet', '--detach');
    shell(ground.path, 'branch', '-D', ground.order().branch.replace('refs/heads/', ''));
    write(ground.path, { 'a.txt': 'a' });
    expect(committed(await ground.result()).commit).toBe(await ground.branch());
  });

  test('of a history that does not come from the base says so', async () => {
    const ground = await scene();
    shell(ground.path, 'checkout', '--quiet', '--orphan', 'fresh');
    commit(ground.path, { 'a.txt': 'a' });
    expect(committed(await ground.result()).isDescended).toBe(false);
  });

  test('without any commit at HEAD stands on the base', async () => {
    const ground = await scene();
    shell(ground.path, 'checkout', '--quiet', '--orphan', 'fresh');
    write(ground.path, { 'a.txt': 'a' });
    const { commit: made } = committed(await ground.result());
    expect(shell(ground.root, 'rev-parse', `${made}^`)).toBe(ground.base);
  });

  test('that was stashed away is not a result, but the stash stays', async () => {
    const ground = await scene();
    write(ground.path, { 'README.md': 'changed' });
    shell(ground.path, 'stash', '--quiet');
    expect((await ground.result()).type).toBe('unchanged');
    expect(shell(ground.root, 'stash', 'list')).not.toBe('');
  });

  test('an index lock that a killed git has left is no obstacle', async () => {
    const ground = await scene();
    write(ground.path, { 'a.txt': 'a' });
    writeFileSync(join(ground.worktree.gitDir, 'index.lock'), '');
    committed(await ground.result());
    expect(shell(ground.path, 'status', '--porcelain')).toBe('');
  });
});

describe('a worktree in the middle of something', () => {
  function conflicting(ground: Scene): void {
    commit(ground.path, { 'src/a.txt': 'ours\n' }, 'ours');
    shell(ground.path, 'branch', 'ours');
    shell(ground.path, 'checkout', '--quiet', '-b', 'other', ground.base);
    commit(ground.path, { 'src/a.txt': 'theirs\n' }, 'theirs');
  }

  test.for<[string, string[], string]>([
    ['merge', ['merge', 'ours'], 'MERGE_HEAD'],
    ['rebase', ['rebase', 'ours'], 'rebase-merge'],
    ['cherry-pick', ['cherry-pick', 'ours'], 'CHERRY_PICK_HEAD'],
    ['revert', ['revert', '--no-edit', 'HEAD~1'], 'REVERT_HEAD'],
  ])('%s: nothing of it changes, its files are kept, and it is told', async ([operation, command, sign]) => {
    const ground = await scene();
    conflicting(ground);
    if (operation === 'revert') commit(ground.path, { 'src/a.txt': 'once more\n' });
    expect(() => shell(ground.path, ...command)).toThrow('Command failed');
    const before = [fingerprint(ground.path), readFileSync(join(ground.worktree.gitDir, 'HEAD'), 'utf8')];
    const branch = await ground.branch();
    const result = await ground.result();
    expect(result).toMatchObject({ type: 'unfinished', operation, unmerged: ['src/a.txt'] });
    expect([fingerprint(ground.path), readFileSync(join(ground.worktree.gitDir, 'HEAD'), 'utf8')]).toEqual(
      before,
    );
    expect(existsSync(join(ground.worktree.gitDir, sign))).toBe(true);
    expect(await ground.branch()).toBe(branch);
    const kept = result.type === 'unfinished' ? result.kept : '';
    expect(treeOf(ground.root, kept)['src/a.txt']).toContain('<<<<<<<');
    expect(await readRef(ground.git, ground.repository, keptRef('run-1', 'build', kept))).toBe(kept);
    expect(await ground.result()).toEqual(result);
  });

  test('a bisection, and a stash that did not apply, are told as well', async () => {
    const bisecting = await scene();
    commit(bisecting.path, { 'a.txt': 'a' });
    shell(bisecting.path, 'bisect', 'start');
    expect(await bisecting.result()).toMatchObject({ type: 'unfinished', operation: 'bisect', unmerged: [] });
    const unstashing = await scene();
    write(unstashing.path, { 'README.md': 'stashed' });
    shell(unstashing.path, 'stash', '--quiet');
    commit(unstashing.path, { 'README.md': 'committed' });
    expect(() => shell(unstashing.path, 'stash', 'pop')).toThrow('Command failed');
    expect(await unstashing.result()).toMatchObject({
      type: 'unfinished',
      operation: 'conflict',
      unmerged: ['README.md'],
    });
  });
});
