import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { savedRef } from '../../../src/workspaces/git/index.ts';
import { commit, fsck, ownRefs, shell, treeOf, userState, write } from '../../support/git-playground.ts';
import { lose, save, statusOf, worktreeGround } from '../../support/worktree-places.ts';

describe('saving a place', () => {
  test('keeps tracked and untracked files under a ref of the task, and changes nothing there', async () => {
    const ground = worktreeGround();
    const before = userState(ground.root);
    const { place } = await ground.prepare('build');
    write(place.path, { 'README.md': 'changed', 'new.txt': 'new', 'debug.log': 'log' });
    shell(place.path, 'add', 'new.txt');
    const status = statusOf(place);
    const commitId = await save(ground, 'build', place);
    expect(treeOf(ground.root, commitId)).toMatchObject({ 'README.md': 'changed', 'new.txt': 'new' });
    expect(treeOf(ground.root, commitId)).not.toHaveProperty(['debug.log']);
    expect(shell(ground.root, 'rev-parse', savedRef(place.branch!))).toBe(commitId);
    expect(shell(ground.root, 'rev-parse', `${commitId}^1`)).toBe(shell(place.path, 'rev-parse', 'HEAD'));
    expect(statusOf(place)).toEqual(status);
    expect(userState(ground.root)).toBe(before);
  });

  test('of what has not changed makes no commit', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    expect(await save(ground, 'build', place)).toBe(ground.base);
    write(place.path, { 'new.txt': 'new' });
    const first = await save(ground, 'build', place);
    const before = ownRefs(ground.root);
    expect(await save(ground, 'build', place)).toBe(first);
    expect(ownRefs(ground.root)).toBe(before);
  });

  test('leads to all that was saved before, also where the agent has thrown it away', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    write(place.path, { 'new.txt': 'one' });
    const first = await save(ground, 'build', place);
    rmSync(join(place.path, 'new.txt'));
    const second = await save(ground, 'build', place);
    expect(second).not.toBe(first);
    commit(place.path, { 'made.txt': 'made' });
    await save(ground, 'build', place);
    const held = shell(ground.root, 'rev-list', savedRef(place.branch!));
    expect([held.includes(first), held.includes(second)]).toEqual([true, true]);
    expect(fsck(ground.root)).toBe('');
  });

  test('leaves out a repository of its own and a file that is too large, and keeps all else', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    write(place.path, { 'inner/file.txt': 'x', 'broken/.git': 'gitdir: /nowhere\n', 'new.txt': 'new' });
    shell(join(place.path, 'inner'), 'init', '--quiet');
    writeFileSync(join(place.path, 'large.bin'), '');
    truncateSync(join(place.path, 'large.bin'), 101 * 1024 * 1024);
    const names = Object.keys(treeOf(ground.root, await save(ground, 'build', place)));
    expect(names).toContain('new.txt');
    expect(names.filter((name) => /inner|broken|large/.test(name))).toEqual([]);
  });

  test('works while the agent’s own git holds the index, and wherever it has moved HEAD', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    shell(place.path, 'checkout', '--quiet', '--orphan', 'own');
    write(place.path, { 'new.txt': 'new' });
    writeFileSync(join(shell(place.path, 'rev-parse', '--absolute-git-dir'), 'index.lock'), '');
    expect(treeOf(ground.root, await save(ground, 'build', place))).toMatchObject({ 'new.txt': 'new' });
  });

  test('of a place that is gone, or of somebody else, gives nothing', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    expect(await save(ground, 'build', { ...place, token: 'another' })).toBeUndefined();
    lose(place);
    expect(await save(ground, 'build', place)).toBeUndefined();
  });
});
