import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commit, ownRefs, shell, userState, write } from '../../support/git-playground.ts';
import { lose, save, worktreeGround } from '../../support/worktree-places.ts';

import { archives, clean, cleansByPolicy, integrate } from './cleaning.ts';

describe('cleaning a place', () => {
  cleansByPolicy(['remove-when-clean-else-archive', 'remove-on-success', 'keep']);

  archives([
    'an untracked file',
    'a file in an ignored folder',
    'a commit that was reset away',
    'a stash',
    'a change that git was told not to see',
  ]);

  test('leaves nothing of a task whose work is in the branch of the run, and the checkout of the user as it is', async () => {
    const ground = worktreeGround();
    const before = userState(ground.root);
    const { place } = await ground.prepare('build');
    commit(place.path, { 'made.txt': 'made' });
    await save(ground, 'build', place);
    const result = integrate(ground, place);
    expect(await clean(ground, place, { result })).toMatchObject({ how: 'removed' });
    const [branch, ...others] = ownRefs(ground.root).split('\n');
    expect([branch, others]).toEqual([
      `refs/heads/piton/run-1 ${result}`,
      [expect.stringMatching(/\/runs\//)],
    ]);
    expect(existsSync(dirname(place.path))).toBe(false);
    expect(shell(ground.root, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(userState(ground.root)).toBe(before);
  });

  test('without success removes one whose work is all committed, and its branch stays', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    const tip = commit(place.path, { 'made.txt': 'made' });
    expect(await clean(ground, place, { hasSucceeded: false })).toMatchObject({ how: 'removed' });
    expect(shell(ground.root, 'rev-parse', place.branch!)).toBe(tip);
  });

  test('deletes the branch of one that is archived, because the archive holds it, and what was saved as well', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    const tip = commit(place.path, { 'made.txt': 'made' });
    write(place.path, { 'draft.txt': 'draft' });
    const snapshot = await save(ground, 'build', place);
    write(place.path, { 'draft.txt': 'later' });
    const { how, ref } = await clean(ground, place, { hasSucceeded: false });
    expect(how).toBe('archived');
    expect(
      ownRefs(ground.root)
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(['refs/heads/piton/run-1', ref, 'refs/piton/runs/run-1']);
    const held = shell(ground.root, 'rev-list', ref!);
    expect([held.includes(tip), held.includes(snapshot)]).toEqual([true, true]);
  });

  test('leaves a branch that somebody has checked out elsewhere', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    const result = integrate(ground, place);
    const short = place.branch!.replace('refs/heads/', '');
    shell(ground.root, 'worktree', 'add', '--quiet', '--force', join(ground.folder, 'other'), short);
    expect(await clean(ground, place, { result })).toMatchObject({ how: 'removed' });
    expect(shell(join(ground.folder, 'other'), 'rev-parse', 'HEAD')).toBe(result);
  });

  test('does not archive caches and files that are as they were copied', async () => {
    const ground = worktreeGround();
    write(ground.root, { 'secret.log': 'password' });
    const copy = { copy: ['secret.log'] };
    const { place } = await ground.prepare('build', copy);
    write(place.path, { 'node_modules/x/index.js': 'x' });
    expect(readFileSync(join(place.path, 'secret.log'), 'utf8')).toBe('password');
    expect(await clean(ground, place, { ...ground.request('build', copy) })).toMatchObject({
      how: 'removed',
    });
  });

  test('keeps what cannot be kept elsewhere where it is, and names it', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    write(place.path, { 'inner/git~1': 'x' });
    const cleaned = await clean(ground, place);
    expect(cleaned).toMatchObject({ how: 'kept', reason: expect.stringContaining('inner') as string });
    expect(existsSync(join(place.path, 'inner/git~1'))).toBe(true);
  });

  test('of one that is gone says so, and what was saved of it stays', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    write(place.path, { 'draft.txt': 'draft' });
    const snapshot = await save(ground, 'build', place);
    lose(place);
    expect(await clean(ground, place, { hasSucceeded: false })).toMatchObject({ how: 'removed' });
    expect(shell(ground.root, 'rev-list', '--all')).toContain(snapshot);
  });

  test('done again gives the same answer', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    write(place.path, { 'draft.txt': 'draft' });
    const first = await clean(ground, place);
    expect(await clean(ground, place)).toMatchObject({ how: first.how, ref: first.ref });
  });

  test('of one that belongs to somebody else by now removes nothing', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    const cleaned = await clean(ground, { ...place, token: 'another' });
    expect(cleaned).toMatchObject({ how: 'kept' });
    expect(existsSync(place.path)).toBe(true);
    expect(await ground.places.archives(ground.request('build').repository)).toEqual([]);
  });
});
