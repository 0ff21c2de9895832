import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { taskBranch } from '../../../src/workspaces/git/index.ts';
import { commit, fsck, shell, userState, write } from '../../support/git-playground.ts';
import { lose, now, save, statusOf, workOf, worktreeGround } from '../../support/worktree-places.ts';

const order = { attempt: 'a1', argv: ['true'], directory: '/', env: {} };

describe('a new place', () => {
  test('begins at the branch of the run, on a branch of its own, and the checkout of the user stays as it is', async () => {
    const ground = worktreeGround();
    const before = userState(ground.root);
    const { place, ...news } = await ground.prepare('build');
    expect(news).toEqual({});
    expect(place).toEqual({
      path: join(ground.state, 'worktrees', 'run-1', 'build'),
      branch: taskBranch('run-1', 'build'),
      base: ground.base,
      token: ground.request('build').token,
    });
    expect(shell(place.path, 'symbolic-ref', 'HEAD')).toBe(place.branch);
    expect(statusOf(place)).toEqual([]);
    expect(userState(ground.root)).toBe(before);
  });

  test('is found again as it is, whether it was recorded or not', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    write(place.path, { 'new.txt': 'new' });
    shell(place.path, 'switch', '--quiet', '-c', 'elsewhere');
    expect(await ground.prepare('build')).toEqual({ place });
    expect(await ground.prepare('build', { known: place })).toEqual({ place });
    expect(statusOf(place)).toEqual(['?? new.txt']);
  });

  test('sees what others have made, and is its own for each time the task is begun from scratch', async () => {
    const ground = worktreeGround();
    const first = await ground.prepare('build');
    shell(
      ground.root,
      'update-ref',
      'refs/heads/piton/run-1',
      commit(first.place.path, { 'made.txt': 'made' }),
    );
    const second = await ground.prepare('build', { generation: 1 });
    expect(second.place.path).not.toBe(first.place.path);
    expect(readFileSync(join(second.place.path, 'made.txt'), 'utf8')).toBe('made');
  });

  test('knows the refs that were there before anybody worked in it, but none of Piton’s', async () => {
    const ground = worktreeGround();
    shell(ground.root, 'tag', 'v1');
    const { place } = await ground.prepare('build');
    const gitDir = shell(place.path, 'rev-parse', '--absolute-git-dir');
    const { refs } = JSON.parse(readFileSync(join(gitDir, 'piton.json'), 'utf8')) as { refs: object };
    expect(refs).toEqual({ 'refs/heads/main': ground.base, 'refs/tags/v1': ground.base });
  });

  test('has the ports it wants, and the same ones when it is found again', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build', { ports: 2 });
    expect(place.ports).toMatchObject({ count: 2 });
    expect((await ground.prepare('build', { ports: 2, known: place })).place).toEqual(place);
  });

  test('takes an order to start a program as it is, but does not let its git search above the place', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    const env = { ...order.env, GIT_CEILING_DIRECTORIES: dirname(place.path) };
    const entered = await ground.places.enter(workOf(ground.request('build'), place), order);
    expect(entered).toEqual({ ...order, env });
  });
});

describe('a place that is gone', () => {
  test('is made again from its branch, and that is told until something is started in it', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    const tip = commit(place.path, { 'made.txt': 'made' });
    lose(place);
    const recovered = { found: 'it was gone', how: 'recreated', from: tip };
    expect(await ground.prepare('build', { known: place })).toEqual({ place, recovered });
    expect(await ground.prepare('build', { known: place })).toEqual({ place, recovered });
    await ground.places.enter(workOf(ground.request('build'), place), order);
    expect(await ground.prepare('build', { known: place })).toEqual({ place });
    expect(shell(place.path, 'rev-parse', 'HEAD')).toBe(tip);
  });

  test('is made again from what was saved of it: what was not committed is not committed afterwards either', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    const head = commit(place.path, { 'made.txt': 'made' });
    write(place.path, { 'README.md': 'changed', 'deep/new.txt': 'new' });
    rmSync(join(place.path, 'src/b.txt'));
    const snapshot = await save(ground, 'build', place);
    const before = statusOf(place);
    lose(place);
    const { recovered } = await ground.prepare('build', { known: place, snapshot });
    expect(recovered).toEqual({ found: 'it was gone', how: 'restored', from: snapshot });
    expect(statusOf(place)).toEqual(before);
    expect(before).toEqual(['M README.md', 'D src/b.txt', '?? deep/new.txt']);
    expect(shell(place.path, 'rev-parse', 'HEAD')).toBe(head);
    expect(shell(place.path, 'symbolic-ref', 'HEAD')).toBe(place.branch);
  });

  test('has what was committed after it was saved last as well', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    write(place.path, { 'one.txt': '1', 'two.txt': '2' });
    const snapshot = await save(ground, 'build', place);
    shell(place.path, 'add', 'one.txt');
    shell(place.path, 'commit', '--quiet', '-m', 'one');
    write(place.path, { 'three.txt': '3' });
    shell(place.path, 'add', 'three.txt');
    shell(place.path, 'commit', '--quiet', '-m', 'three');
    const head = shell(place.path, 'rev-parse', 'HEAD');
    lose(place);
    await ground.prepare('build', { known: place, snapshot });
    expect(shell(place.path, 'rev-parse', 'HEAD')).toBe(head);
    expect(statusOf(place)).toEqual(['?? two.txt']);
  });

  test('is at the commit again that it had been moved to', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    commit(place.path, { 'made.txt': 'made' });
    shell(place.path, 'checkout', '--quiet', '--orphan', 'own');
    const head = commit(place.path, { 'own.txt': 'own' });
    write(place.path, { 'more.txt': 'more' });
    const snapshot = await save(ground, 'build', place);
    lose(place);
    await ground.prepare('build', { known: place, snapshot });
    expect(shell(place.path, 'rev-parse', 'HEAD')).toBe(head);
    expect(statusOf(place)).toEqual(['?? more.txt']);
  });

  test('is made again from its archive with its ignored files, if it was cleaned and is wanted again', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    write(place.path, { 'README.md': 'changed', 'new.txt': 'new', 'debug.log': 'log' });
    shell(place.path, 'add', 'new.txt');
    const snapshot = await save(ground, 'build', place);
    const request = ground.request('build', { snapshot });
    const clean = { ...request, known: place, hasSucceeded: false, at: now };
    const cleaned = await ground.places.clean(clean, 'remove-when-clean-else-archive');
    expect(cleaned).toMatchObject({ how: 'archived' });
    const { place: again, recovered } = await ground.prepare('build', { known: place, snapshot });
    expect(again).toEqual(place);
    expect(recovered).toMatchObject({ how: 'restored', from: shell(ground.root, 'rev-parse', cleaned.ref!) });
    expect(statusOf(place)).toEqual(['M README.md', 'A  new.txt']);
    expect(readFileSync(join(place.path, 'debug.log'), 'utf8')).toBe('log');
  });

  test('that has gone on since it was restored from its archive is made again from what was saved later', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    write(place.path, { 'early.txt': 'early' });
    const clean = { ...ground.request('build'), known: place, hasSucceeded: false, at: now - 5000 };
    await ground.places.clean(clean, 'archive');
    await ground.prepare('build', { known: place });
    write(place.path, { 'late.txt': 'late' });
    const snapshot = await save(ground, 'build', place);
    lose(place);
    await ground.prepare('build', { known: place, snapshot });
    expect(statusOf(place)).toEqual(['?? early.txt', '?? late.txt']);
    expect(fsck(ground.root)).toBe('');
  });

  test('is made again although its branch is gone as well', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    write(place.path, { 'new.txt': 'new' });
    const snapshot = await save(ground, 'build', place);
    lose(place);
    shell(ground.root, 'worktree', 'prune');
    shell(ground.root, 'update-ref', '-d', place.branch!);
    await ground.prepare('build', { known: place, snapshot });
    expect(statusOf(place)).toEqual(['?? new.txt']);
  });
});

describe('a place in which something else is', () => {
  test('is refused, and nothing there is touched', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    renameSync(place.path, `${place.path}-moved`);
    write(place.path, { 'mine.txt': 'mine' });
    shell(place.path, 'init', '--quiet');
    await expect(ground.prepare('build', { known: place })).rejects.toMatchObject({
      code: 'WORKTREE_REFUSED',
      details: { path: place.path },
    });
    expect(readFileSync(join(place.path, 'mine.txt'), 'utf8')).toBe('mine');
    await expect(ground.prepare('build', { known: place, isAdopted: true })).rejects.toMatchObject({
      code: 'WORKTREE_REFUSED',
    });
  });

  test('is taken as it is, if a person wants it so and it is a worktree of the repository', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    shell(ground.root, 'worktree', 'remove', '--force', place.path);
    shell(ground.root, 'worktree', 'add', '--quiet', '--detach', place.path);
    write(place.path, { 'mine.txt': 'mine' });
    await expect(ground.prepare('build', { known: place })).rejects.toMatchObject({
      code: 'WORKTREE_REFUSED',
    });
    expect(await ground.prepare('build', { known: place, isAdopted: true })).toEqual({ place });
    expect(await ground.prepare('build', { known: place })).toEqual({ place });
    expect(statusOf(place)).toEqual(['?? mine.txt']);
  });

  test('is linked to the repository again, if that is all that is wrong and a person takes it as it is', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    write(place.path, { 'mine.txt': 'mine' });
    rmSync(join(place.path, '.git'));
    await expect(ground.prepare('build', { known: place })).rejects.toMatchObject({
      code: 'WORKTREE_REFUSED',
    });
    expect(await ground.prepare('build', { known: place, isAdopted: true })).toEqual({ place });
    expect(statusOf(place)).toEqual(['?? mine.txt']);
  });
});

describe('what a person wants done with a place', () => {
  test('recreate: what is committed on its branch stays, all else is archived', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    const tip = commit(place.path, { 'made.txt': 'made' });
    write(place.path, { 'new.txt': 'new', 'debug.log': 'log' });
    const wanted = { known: place, order: { id: 'o1', action: 'recreate' as const } };
    const { recovered } = await ground.prepare('build', wanted);
    expect(recovered).toMatchObject({ how: 'recreated', from: tip });
    expect([statusOf(place), existsSync(join(place.path, 'debug.log'))]).toEqual([[], false]);
    const [archive] = await ground.places.archives(ground.request('build').repository);
    expect(recovered?.found).toContain(archive!.ref);
    await ground.places.restore(
      ground.request('build').repository,
      archive!.ref,
      join(ground.folder, 'back'),
    );
    expect(readFileSync(join(ground.folder, 'back', 'debug.log'), 'utf8')).toBe('log');
  });

  test('is done once for each time it is wanted', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    const wanted = { known: place, order: { id: 'o1', action: 'recreate' as const } };
    await ground.prepare('build', wanted);
    write(place.path, { 'later.txt': 'later' });
    await ground.prepare('build', wanted);
    expect(statusOf(place)).toEqual(['?? later.txt']);
    await ground.prepare('build', { known: place, order: { id: 'o2', action: 'recreate' } });
    expect(statusOf(place)).toEqual([]);
  });

  test('restore: as it was last saved, or as it was in another snapshot or archive', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    write(place.path, { 'one.txt': '1' });
    const first = await save(ground, 'build', place);
    write(place.path, { 'two.txt': '2' });
    const snapshot = await save(ground, 'build', place);
    rmSync(join(place.path, 'two.txt'));
    write(place.path, { 'three.txt': '3' });
    const known = { known: place, snapshot };
    await ground.prepare('build', { ...known, order: { id: 'o1', action: 'restore' } });
    expect(statusOf(place)).toEqual(['?? one.txt', '?? two.txt']);
    await ground.prepare('build', { ...known, order: { id: 'o2', action: 'restore', from: first } });
    expect(statusOf(place)).toEqual(['?? one.txt']);
    const [archive] = await ground.places.archives(ground.request('build').repository);
    await ground.prepare('build', { ...known, order: { id: 'o3', action: 'restore', from: archive!.ref } });
    expect(statusOf(place)).toEqual(['?? one.txt', '?? three.txt']);
  });

  test('restore without anything saved is refused, before anything is touched', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    write(place.path, { 'new.txt': 'new' });
    const wanted = { known: place, order: { id: 'o1', action: 'restore' as const } };
    await expect(ground.prepare('build', wanted)).rejects.toMatchObject({ code: 'WORKTREE_REFUSED' });
    expect(statusOf(place)).toEqual(['?? new.txt']);
  });

  test('discard: begun anew from the branch of the run, and what was saved before does not come back', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    const tip = commit(place.path, { 'made.txt': 'made' });
    write(place.path, { 'new.txt': 'new' });
    const snapshot = await save(ground, 'build', place);
    const head = commit(ground.root, { 'other.txt': 'other' });
    shell(ground.root, 'update-ref', 'refs/heads/piton/run-1', head);
    const known = { known: place, snapshot };
    const discarded = await ground.prepare('build', { ...known, order: { id: 'o1', action: 'discard' } });
    expect(discarded).toMatchObject({
      place: { ...place, base: head },
      recovered: { how: 'discarded', from: head },
    });
    expect([statusOf(place), existsSync(join(place.path, 'made.txt'))]).toEqual([[], false]);
    lose(place);
    await ground.prepare('build', { known: discarded.place, snapshot });
    expect(statusOf(place)).toEqual([]);
    const reached = shell(ground.root, 'rev-list', '--all');
    expect([reached.includes(tip), reached.includes(snapshot)]).toEqual([true, true]);
  });

  test('what is no worktree at all is moved out of the way as it is', async () => {
    const ground = worktreeGround();
    const { place } = await ground.prepare('build');
    rmSync(place.path, { recursive: true });
    writeFileSync(place.path, 'a file');
    await ground.prepare('build', { known: place, order: { id: 'o1', action: 'recreate' } });
    expect(statusOf(place)).toEqual([]);
    expect(readFileSync(`${place.path}.set-aside-o1`, 'utf8')).toBe('a file');
  });
});
