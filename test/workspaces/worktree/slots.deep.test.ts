import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Place, PlaceRequest } from '../../../src/workspaces/index.ts';
import { commit, fsck, shell, treeOf, write } from '../../support/git-playground.ts';
import {
  lose,
  now,
  save,
  statusOf,
  workOf,
  worktreeGround,
  type WorktreeGround,
} from '../../support/worktree-places.ts';

const slot: Pick<PlaceRequest, 'slot'> = { slot: { pool: 'build', number: 1 } };

async function first(ground: WorktreeGround): Promise<Place> {
  return (await ground.prepare('build[a]', slot)).place;
}

/** What the engine does when the work is done: it is on the branch of the run. */
function integrate(ground: WorktreeGround, { path }: Place): void {
  shell(ground.root, 'update-ref', 'refs/heads/piton/run-1', shell(path, 'rev-parse', 'HEAD'));
}

const gitDirOf = ({ path }: Place): string => shell(path, 'rev-parse', '--absolute-git-dir');

describe('a slot', () => {
  test('has a path of its own, which its tasks take in turn, each on a branch of its own', async () => {
    const ground = worktreeGround();
    const a = await first(ground);
    expect(a.path).toBe(join(ground.state, 'worktrees', 'run-1', 'build~slot-1'));
    commit(a.path, { 'a.txt': 'a' });
    integrate(ground, a);
    const { place: b, handedOver } = await ground.prepare('build[b]', slot);
    expect(handedOver).toMatchObject({ task: 'build[a]', cleaned: { how: 'removed' } });
    expect([b.path, b.branch === a.branch]).toEqual([a.path, false]);
    expect(shell(b.path, 'symbolic-ref', 'HEAD')).toBe(b.branch);
    expect(readFileSync(join(b.path, 'a.txt'), 'utf8')).toBe('a');
    expect(b.base).toBe(shell(ground.root, 'rev-parse', 'piton/run-1'));
    expect(shell(ground.root, 'for-each-ref', a.branch!)).toBe('');
    expect(await ground.places.archives(ground.request('x').repository)).toEqual([]);
  });

  test('keeps what git ignores, since that is what its setup has made, and loses all else', async () => {
    const ground = worktreeGround();
    const a = await first(ground);
    write(a.path, {
      'node_modules/x/index.js': 'x',
      'cached.log': 'c',
      'README.md': 'changed',
      'deep/new.txt': 'n',
    });
    const { place, handedOver } = await ground.prepare('build[b]', slot);
    expect(handedOver).toMatchObject({ task: 'build[a]', cleaned: { how: 'archived' } });
    expect([statusOf(place), existsSync(join(place.path, 'deep'))]).toEqual([[], false]);
    expect(
      ['node_modules/x/index.js', 'cached.log'].map((file) => existsSync(join(place.path, file))),
    ).toEqual([true, true]);
    const back = join(ground.folder, 'back');
    await ground.places.restore(ground.request('x').repository, handedOver!.cleaned.ref!, back);
    expect(['README.md', 'deep/new.txt', 'cached.log'].map((file) => existsSync(join(back, file)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(readFileSync(join(back, 'README.md'), 'utf8')).toBe('changed');
  });

  test('is found again by the task that has it', async () => {
    const ground = worktreeGround();
    const a = await first(ground);
    write(a.path, { 'new.txt': 'new' });
    expect(await ground.prepare('build[a]', { ...slot, known: a })).toEqual({ place: a });
    expect(statusOf(a)).toEqual(['?? new.txt']);
  });

  test('tells who had it before until something is started in it', async () => {
    const ground = worktreeGround();
    await first(ground);
    const { place, handedOver } = await ground.prepare('build[b]', slot);
    expect(handedOver).toBeDefined();
    expect(await ground.prepare('build[b]', slot)).toEqual({ place, handedOver });
    const order = { attempt: 'a1', argv: ['true'], directory: '/', env: {} };
    await ground.places.enter(workOf(ground.request('build[b]', slot), place), order);
    expect(await ground.prepare('build[b]', { ...slot, known: place })).toEqual({ place });
  });

  test('is taken over in whatever state its task has left it: in a rebase, locked, detached, with hidden changes', async () => {
    const ground = worktreeGround();
    const a = await first(ground);
    const one = commit(a.path, { 'a.txt': '1' });
    shell(a.path, 'checkout', '--quiet', '-b', 'side', 'HEAD~');
    const other = commit(a.path, { 'a.txt': '2' });
    expect(() => shell(a.path, 'rebase', a.branch!.replace('refs/heads/', ''))).toThrow(/conflict/i);
    shell(a.path, 'update-index', '--assume-unchanged', 'src/b.txt');
    writeFileSync(join(a.path, 'src/b.txt'), 'hidden');
    writeFileSync(join(gitDirOf(a), 'index.lock'), '');
    const { place, handedOver } = await ground.prepare('build[b]', slot);
    expect(handedOver).toMatchObject({ cleaned: { how: 'archived' } });
    expect(statusOf(place)).toEqual([]);
    expect(shell(place.path, 'status')).not.toContain('rebase');
    expect(readFileSync(join(place.path, 'src/b.txt'), 'utf8')).toBe('b\n');
    const archive = shell(ground.root, 'rev-parse', handedOver!.cleaned.ref!);
    const held = shell(ground.root, 'rev-list', archive);
    expect([held.includes(one), held.includes(other)]).toEqual([true, true]);
    const { files } = JSON.parse(shell(ground.root, 'cat-file', '-p', `${archive}:manifest.json`)) as {
      files: string;
    };
    expect(treeOf(ground.root, files)).toMatchObject({ 'src/b.txt': 'hidden' });
    expect(fsck(ground.root)).toBe('');
  });

  test('does not take what the former task has done for the doing of the next', async () => {
    const ground = worktreeGround();
    const a = await first(ground);
    write(a.path, { 'a.txt': 'a' });
    shell(a.path, 'stash', '--quiet', '--include-untracked');
    commit(a.path, { 'left behind.txt': 'x' });
    shell(a.path, 'reset', '--quiet', '--hard', 'HEAD~');
    const second = await ground.prepare('build[b]', slot);
    expect(second.handedOver).toMatchObject({ cleaned: { how: 'archived' } });
    const third = await ground.prepare('build[c]', slot);
    expect(third.handedOver).toMatchObject({ task: 'build[b]', cleaned: { how: 'removed' } });
  });

  test('stays as it is, if not all that is in it can be kept, and what is named', async () => {
    const ground = worktreeGround();
    const a = await first(ground);
    write(a.path, { 'inner/git~1': 'x' });
    await expect(ground.prepare('build[b]', slot)).rejects.toMatchObject({
      code: 'WORKSPACE_DRIFTED',
      message: expect.stringContaining('inner') as string,
    });
    expect(readFileSync(join(a.path, 'inner/git~1'), 'utf8')).toBe('x');
    expect((await ground.prepare('build[a]', { ...slot, known: a })).place).toEqual(a);
  });

  test('a task that is tried again after its slot was taken finds its work there once more', async () => {
    const ground = worktreeGround();
    const a = await first(ground);
    write(a.path, { 'a.txt': 'half done' });
    const snapshot = await save(ground, 'build[a]', a);
    const b = await ground.prepare('build[b]', slot);
    integrate(ground, b.place);
    const { place, handedOver, recovered } = await ground.prepare('build[a]', {
      ...slot,
      known: a,
      snapshot,
    });
    expect([place.path, handedOver?.task, recovered]).toEqual([a.path, 'build[b]', undefined]);
    expect(statusOf(place)).toEqual(['?? a.txt']);
  });

  test('is made as a person wanted it, when the task gets one again', async () => {
    const ground = worktreeGround();
    const a = await first(ground);
    write(a.path, { 'a.txt': 'half done' });
    const snapshot = await save(ground, 'build[a]', a);
    await ground.prepare('build[b]', slot);
    const order = { id: 'o1', action: 'discard' as const };
    const again = await ground.prepare('build[a]', { ...slot, known: a, snapshot, order });
    expect(again).toMatchObject({ handedOver: { task: 'build[b]' }, recovered: { how: 'discarded' } });
    expect(statusOf(again.place)).toEqual([]);
  });

  test('that is gone is made again', async () => {
    const ground = worktreeGround();
    const a = await first(ground);
    lose(a);
    const { recovered } = await ground.prepare('build[a]', { ...slot, known: a });
    expect(recovered).toMatchObject({ how: 'recreated' });
    lose(a);
    const { place } = await ground.prepare('build[b]', slot);
    expect(statusOf(place)).toEqual([]);
  });

  test('is cleaned with the task that had it last; for the others, it is told what became of theirs', async () => {
    const ground = worktreeGround();
    const a = await first(ground);
    write(a.path, { 'a.txt': 'a' });
    const { place: b, handedOver } = await ground.prepare('build[b]', slot);
    const clean = (task: string, known: Place) =>
      ground.places.clean(
        { ...ground.request(task, slot), known, hasSucceeded: true, at: now },
        'remove-when-clean-else-archive',
      );
    expect(await clean('build[a]', a)).toMatchObject({ how: 'archived', ref: handedOver!.cleaned.ref });
    expect(existsSync(b.path)).toBe(true);
    expect(await clean('build[b]', b)).toMatchObject({ how: 'removed' });
    expect(existsSync(b.path)).toBe(false);
    expect(await clean('build[a]', a)).toMatchObject({ how: 'archived', ref: handedOver!.cleaned.ref });
  });

  test('of another pool or another run is not taken', async () => {
    const ground = worktreeGround();
    const a = await first(ground);
    const other = await ground.prepare('test[a]', { slot: { pool: 'test', number: 1 } });
    const elsewhere = await ground.prepare('build[b]', { ...slot, run: 'run-2' });
    expect(new Set([a.path, other.place.path, elsewhere.place.path]).size).toBe(3);
  });
});
