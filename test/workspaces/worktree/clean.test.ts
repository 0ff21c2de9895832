import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cleanupPolicies, type CleanupPolicy } from '../../../src/model/index.ts';
import type { Cleaned, CleanRequest, Place } from '../../../src/workspaces/index.ts';
import { commit, fsck, ownRefs, shell, userState, write } from '../../support/git-playground.ts';
import { lose, now, save, worktreeGround, type WorktreeGround } from '../../support/worktree-places.ts';

const usual = 'remove-when-clean-else-archive';

function clean(
  ground: WorktreeGround,
  known: Place,
  more: Partial<CleanRequest> & { policy?: CleanupPolicy } = {},
): Promise<Cleaned> {
  const { policy = usual, ...rest } = more;
  const request = { ...ground.request('build', rest), known, hasSucceeded: true, at: now, ...rest };
  return ground.places.clean(request, policy);
}

/** As the engine leaves it: the result is on the branch of the run. */
function integrate(ground: WorktreeGround, { path }: Place): string {
  const result = shell(path, 'rev-parse', 'HEAD');
  shell(ground.root, 'update-ref', 'refs/heads/piton/run-1', result);
  return result;
}

describe('cleaning a place', () => {
  const table: readonly [CleanupPolicy, { success: string; failure: string; untouched: string }][] = [
    ['remove-when-clean-else-archive', { success: 'removed', failure: 'archived', untouched: 'removed' }],
    ['remove-on-success', { success: 'removed', failure: 'kept', untouched: 'kept' }],
    ['archive-on-failure', { success: 'removed', failure: 'archived', untouched: 'archived' }],
    ['archive', { success: 'archived', failure: 'archived', untouched: 'archived' }],
    ['keep', { success: 'kept', failure: 'kept', untouched: 'kept' }],
  ];

  test('all policies are in the table', () => {
    expect(table.map(([policy]) => policy).sort()).toEqual([...cleanupPolicies].sort());
  });

  test.each(table)('by %s does what the table says', async (policy, expected) => {
    const ground = worktreeGround();
    const [good, bad, idle] = await Promise.all(
      ['good', 'bad', 'idle'].map(async (task) => (await ground.prepare(task)).place),
    );
    commit(good!.path, { 'made.txt': 'made' });
    const result = integrate(ground, good!);
    commit(bad!.path, { 'bad.txt': 'bad' });
    write(bad!.path, { 'more.txt': 'more' });
    const failed = { policy, hasSucceeded: false };
    const found = {
      success: await clean(ground, good!, { ...ground.request('good'), policy, result }),
      failure: await clean(ground, bad!, { ...ground.request('bad'), ...failed }),
      untouched: await clean(ground, idle!, { ...ground.request('idle'), ...failed }),
    };
    const how = Object.fromEntries(Object.entries(found).map(([name, cleaned]) => [name, cleaned.how]));
    expect(how).toEqual(expected);
    expect([good, bad, idle].map((place) => existsSync(place!.path))).toEqual(
      [found.success, found.failure, found.untouched].map((cleaned) => cleaned.how === 'kept'),
    );
    expect(
      Object.values(found).every(({ how: one, ref }) => (one === 'archived') === (ref !== undefined)),
    ).toBe(true);
    expect(fsck(ground.root)).toBe('');
  });

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

  const losses: Record<string, (place: Place, ground: WorktreeGround) => void> = {
    'a changed file': ({ path }) => write(path, { 'README.md': 'changed' }),
    'an untracked file': ({ path }) => write(path, { 'new.txt': 'new' }),
    'an ignored file': ({ path }) => write(path, { 'debug.log': 'log' }),
    'a file in an ignored folder': ({ path }) => write(path, { 'dist/deep/out.js': 'out' }),
    'something staged and taken back': ({ path }) => {
      write(path, { 'README.md': 'staged' });
      shell(path, 'add', 'README.md');
      write(path, { 'README.md': 'Hello\n' });
    },
    'a commit that was reset away': ({ path }) => {
      commit(path, { 'gone.txt': 'gone' });
      shell(path, 'reset', '--quiet', '--hard', 'HEAD~');
    },
    'a stash': ({ path }) => {
      write(path, { 'README.md': 'stashed' });
      shell(path, 'stash', '--quiet');
    },
    'a change that git was told not to see': ({ path }) => {
      shell(path, 'update-index', '--skip-worktree', 'README.md');
      write(path, { 'README.md': 'hidden' });
    },
    'a repository of its own in a tracked folder': ({ path }) => shell(join(path, 'src'), 'init', '--quiet'),
  };

  test.each(Object.entries(losses))('archives one that holds %s', async (_, leave) => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    commit(place.path, { 'made.txt': 'made' });
    const result = integrate(ground, place);
    leave(place, ground);
    const cleaned = await clean(ground, place, { result });
    expect(cleaned).toMatchObject({ how: 'archived', reason: expect.stringContaining('it held ') as string });
    await ground.places.restore(
      ground.request('build').repository,
      cleaned.ref!,
      join(ground.folder, 'back'),
    );
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
    write(place.path, { 'inner/.git': 'gitdir: /nowhere\n', 'inner/file.txt': 'x' });
    const cleaned = await clean(ground, place);
    expect(cleaned).toMatchObject({ how: 'kept', reason: expect.stringContaining('inner') as string });
    expect(existsSync(join(place.path, 'inner/file.txt'))).toBe(true);
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
