import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Place } from '../../src/workspaces/index.ts';
import { faultGround, type FaultGround } from '../support/fault-ground.ts';
import {
  commit,
  fingerprint,
  fsck,
  gitBehind,
  playground,
  shell,
  userState,
  write,
} from '../support/git-playground.ts';
import { plainEnvironment } from '../support/git-orders.ts';

interface Scene {
  readonly root: string;
  readonly folder: string;
  readonly ground: FaultGround;
  readonly place: Place;
}

/** A place in which something was made, not all of it committed. */
async function scene(): Promise<Scene> {
  const { root, folder } = playground();
  const ground = await faultGround(root);
  const place = await ground.place('build');
  commit(place.path, { 'committed.txt': 'committed' });
  write(place.path, { 'made.txt': 'made' });
  return { root, folder, ground, place };
}

type Exchange = (scene: Scene) => void;

/** Something else is where the place was. */
const exchanges: Record<string, Exchange> = {
  'a link to the checkout of the user': ({ place, root }) => {
    rmSync(place.path, { recursive: true });
    symlinkSync(root, place.path);
  },
  'a link to nowhere': ({ place }) => {
    rmSync(place.path, { recursive: true });
    symlinkSync('/nonexistent/x', place.path);
  },
  'a file': ({ place }) => {
    rmSync(place.path, { recursive: true });
    writeFileSync(place.path, 'precious');
  },
  'a folder of somebody': ({ place }) => {
    rmSync(place.path, { recursive: true });
    write(place.path, { 'precious.txt': 'precious' });
  },
  'a repository of its own': ({ place }) => {
    rmSync(join(place.path, '.git'));
    shell(place.path, 'init', '--quiet');
  },
  'a place without its link to the repository': ({ place }) => rmSync(join(place.path, '.git')),
  'a worktree that somebody has added': ({ place, root }) => {
    shell(root, 'worktree', 'remove', '--force', place.path);
    shell(root, 'worktree', 'add', '--quiet', '--detach', place.path);
    write(place.path, { 'precious.txt': 'precious' });
  },
};

describe('in the place of a task there is', () => {
  test.each(Object.entries(exchanges))(
    '%s: the task is held, and nothing there is touched',
    async (_, exchange) => {
      const all = await scene();
      const { root, ground, place } = all;
      exchange(all);
      const state = (): string[] => [userState(root), fingerprint(dirname(place.path))];
      const before = state();
      const request = { ...ground.request('build'), known: place };
      const refused = { code: expect.stringMatching(/^(WORKSPACE_GONE|WORKTREE_REFUSED)$/) };
      await expect(ground.places.prepare(request)).rejects.toMatchObject(refused);
      await expect(ground.integrate('build', place)).rejects.toMatchObject(refused);
      expect(await ground.clean('build', place)).toMatchObject({ how: 'kept' });
      expect((await ground.places.look([request]))[0]).toMatchObject({ health: 'drifted' });
      expect(state()).toEqual(before);
      expect(shell(root, 'show', `${place.branch}:committed.txt`)).toBe('committed');
    },
  );

  test('nothing, since git was told to move it: the other one is named, and stays', async () => {
    const { root, folder, ground, place } = await scene();
    const elsewhere = join(folder, 'elsewhere');
    shell(root, 'worktree', 'move', place.path, elsewhere);
    const before = fingerprint(elsewhere);
    const request = { ...ground.request('build'), known: place };
    await expect(ground.places.prepare(request)).rejects.toThrow(elsewhere);
    await expect(ground.integrate('build', place)).rejects.toMatchObject({
      code: 'WORKSPACE_DRIFTED',
      message: expect.stringContaining(elsewhere) as string,
    });
    expect(fingerprint(elsewhere)).toBe(before);
    expect(shell(root, 'show', `${place.branch}:committed.txt`)).toBe('committed');
    shell(root, 'worktree', 'move', elsewhere, place.path);
    expect(await ground.integrate('build', place)).toMatchObject({ type: 'integrated' });
    expect(ground.made()).toMatchObject({ 'made.txt': 'made', 'committed.txt': 'committed' });
  });

  test('nothing, since its agent has removed it by git: it is made again as it was saved last', async () => {
    const { root, ground, place } = await scene();
    const work = { ...ground.request('build'), known: place, attempt: 'a1', seq: 1, at: 1 };
    const snapshot = (await ground.places.save({ ...work, label: 'after a turn' }))!;
    shell(root, 'worktree', 'remove', '--force', place.path);
    expect(await ground.integrate('build', place, { snapshot })).toMatchObject({ type: 'integrated' });
    expect(ground.made()).toMatchObject({ 'made.txt': 'made', 'committed.txt': 'committed' });
  });

  test('a copy of it besides, which is nobody’s place', async () => {
    const { ground, place } = await scene();
    const copy = `${place.path}-copy`;
    cpSync(place.path, copy, { recursive: true, verbatimSymlinks: true });
    write(copy, { 'precious.txt': 'precious' });
    expect(await ground.integrate('build', place)).toMatchObject({ type: 'integrated' });
    expect(ground.made()).not.toHaveProperty('precious.txt');
    await ground.clean('build', place);
    expect(readFileSync(join(copy, 'precious.txt'), 'utf8')).toBe('precious');
  });

  test('nothing, with the folder of all worktrees gone as well', async () => {
    const { root, ground, place } = await scene();
    rmSync(ground.worktrees, { recursive: true });
    const { place: again, recovered } = await ground.places.prepare({
      ...ground.request('build'),
      known: place,
    });
    expect(recovered).toMatchObject({ found: 'it was gone' });
    expect(existsSync(join(again.path, 'committed.txt'))).toBe(true);
    expect(fsck(root)).toBe('');
  });
});

/** A git that does not wait for locks as long as Piton would have it. */
const impatient = (): Record<string, string> =>
  gitBehind(
    'for word do shift; case $word in core.*Timeout=*) word=${word%%=*}=20;; esac; set -- "$@" "$word"; done; exec "$GIT" "$@"',
  );

describe('a lock file that a killed git has left', () => {
  test('in the repository of the user is in nobody’s way, and stays for the user', async () => {
    const { root } = playground();
    const ground = await faultGround(root);
    const locks = [
      'index.lock',
      'HEAD.lock',
      'config.lock',
      'refs/heads/main.lock',
      'ORIG_HEAD.lock',
      'shallow.lock',
    ];
    for (const lock of locks) writeFileSync(join(root, '.git', lock), '');
    const before = userState(root);
    const life = await ground.live('build', (place) => write(place, { 'made.txt': 'made' }));
    expect(life).toMatchObject({ integration: { type: 'integrated' }, cleaned: { how: 'removed' } });
    expect(ground.made()).toMatchObject({ 'made.txt': 'made' });
    expect(userState(root)).toBe(before);
  });

  test('on the branch of the task, of the run and on what was saved is removed, since they are ours', async () => {
    const { root } = playground();
    const ground = await faultGround(root, impatient());
    await ground.live('first', (place) => write(place, { 'first.txt': 'first' }));
    const place = await ground.place('build');
    write(place.path, { 'made.txt': 'made' });
    const refs = [
      'heads/piton/run-1',
      'heads/piton-tasks/run-1/build',
      'piton/runs/run-1',
      'piton/run-1/build/saved',
    ];
    const locks = refs.map((ref) => join(root, '.git/refs', `${ref}.lock`));
    for (const lock of locks) {
      mkdirSync(dirname(lock), { recursive: true });
      writeFileSync(lock, '');
    }
    expect(await ground.integrate('build', place)).toMatchObject({ type: 'integrated' });
    expect(ground.made()).toMatchObject({ 'made.txt': 'made', 'first.txt': 'first' });
    expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
  });
});

test('a lock on the packed refs keeps nothing from being brought in; where it is in the way of cleaning up, it is named', async () => {
  const { root } = playground();
  const ground = await faultGround(root, impatient());
  const place = await ground.place('build');
  write(place.path, { 'made.txt': 'made' });
  shell(root, 'pack-refs', '--all');
  const lock = join(root, '.git/packed-refs.lock');
  writeFileSync(lock, '');
  const integration = await ground.integrate('build', place);
  expect(integration).toMatchObject({ type: 'integrated' });
  const result = integration.type === 'integrated' ? integration.result : undefined;
  await expect(ground.clean('build', place, result)).rejects.toThrow(`a killed one has left ${lock}`);
  expect(existsSync(lock)).toBe(true);
  rmSync(lock);
  expect(await ground.clean('build', place, result)).toMatchObject({ how: 'removed' });
  expect(shell(root, 'for-each-ref', 'refs/heads/piton-tasks')).toBe('');
});

test('a place that its agent has locked is not removed, and it is said why', async () => {
  const { root, ground, place } = await scene();
  shell(root, 'worktree', 'lock', '--reason', 'mine', place.path);
  const integration = await ground.integrate('build', place);
  expect(integration).toMatchObject({ type: 'integrated' });
  const cleaned = await ground.clean(
    'build',
    place,
    'result' in integration ? integration.result : undefined,
  );
  expect(cleaned).toEqual({ how: 'kept', reason: expect.stringContaining('locked (mine)') });
  expect(existsSync(join(place.path, 'made.txt'))).toBe(true);
});

describe('the branch of a run', () => {
  const branch = 'piton/run-1';

  test('to which somebody has added commits is gone on from', async () => {
    const { root, folder, ground, place } = await scene();
    shell(root, 'worktree', 'add', '--quiet', join(folder, 'mine'), branch);
    commit(join(folder, 'mine'), { 'mine.txt': 'mine' });
    expect(await ground.integrate('build', place)).toMatchObject({ type: 'integrated' });
    expect(ground.made()).toMatchObject({ 'mine.txt': 'mine', 'made.txt': 'made' });
  });

  test('that was moved away from what tasks have made holds them all, until it is put back or a person adopts it', async () => {
    const { root, ground, place } = await scene();
    await ground.live('first', (path) => write(path, { 'first.txt': 'first' }));
    const last = shell(root, 'rev-parse', branch);
    const other = shell(root, 'commit-tree', '-m', 'other', '-p', 'main', 'main^{tree}');
    shell(root, 'branch', '--force', branch, other);
    const drifted = { code: 'WORKSPACE_DRIFTED', details: { actual: other, last } };
    await expect(ground.place('second')).rejects.toMatchObject(drifted);
    await expect(ground.integrate('build', place)).rejects.toMatchObject(drifted);
    expect(shell(root, 'rev-parse', branch)).toBe(other);
    expect(await ground.integrate('build', place, { isAdopted: true })).toMatchObject({ type: 'integrated' });
    shell(root, 'gc', '--quiet', '--prune=now');
    expect(shell(root, 'cat-file', '-t', last)).toBe('commit');
    expect(ground.made()).toMatchObject({ 'made.txt': 'made' });
    expect((await ground.place('third')).base).toBe(shell(root, 'rev-parse', branch));
  });

  test.each(['adopted by a task that has changed nothing', 'made to hold both'])(
    'that was rewritten is gone on from by all others once it was %s',
    async (how) => {
      const { root, ground } = await scene();
      await ground.live('first', (path) => write(path, { 'first.txt': 'first' }));
      const idle = await ground.place('idle');
      const last = shell(root, 'rev-parse', branch);
      const other = shell(root, 'commit-tree', '-m', 'rewritten', '-p', 'main', `${branch}^{tree}`);
      shell(root, 'branch', '--force', branch, other);
      await expect(ground.place('next')).rejects.toMatchObject({ code: 'WORKSPACE_DRIFTED' });
      if (how.startsWith('adopted')) await ground.integrate('idle', idle, { isAdopted: true });
      const both = shell(root, 'commit-tree', '-m', 'both', '-p', other, '-p', last, `${other}^{tree}`);
      if (how.startsWith('made')) shell(root, 'branch', '--force', branch, both);
      expect((await ground.place('next')).base).toBe(how.startsWith('made') ? both : other);
      expect(shell(root, 'for-each-ref', '--contains', last)).not.toBe('');
    },
  );

  test('of which no trace is left is not begun anew by work that is done', async () => {
    const { root, ground, place } = await scene();
    for (const ref of [`refs/heads/${branch}`, 'refs/piton/runs/run-1']) shell(root, 'update-ref', '-d', ref);
    await expect(ground.integrate('build', place)).rejects.toThrow('The branch of the run is gone');
    expect(readFileSync(join(place.path, 'made.txt'), 'utf8')).toBe('made');
  });
});

test('a file that cannot be read is not in the result, and keeps its worktree from being removed', async () => {
  const { root, ground, place } = await scene();
  write(place.path, { 'secret.txt': 'secret' });
  chmodSync(join(place.path, 'secret.txt'), 0);
  const work = { ...ground.request('build'), known: place, attempt: 'a1', seq: 1, at: 1 };
  const world = { kind: 'worktree', state: dirname(ground.worktrees), folder: root };
  const program = `
    import { openLocal } from '${new URL('../support/local-places.ts', import.meta.url).href}';
    const { world, work } = JSON.parse(process.argv[1]);
    const { places } = openLocal(world);
    const { type, result } = await places.integrate({ ...work, isChecked: false, others: [] });
    const cleaned = await places.clean({ ...work, result, hasSucceeded: true }, 'remove-when-clean-else-archive');
    process.stdout.write(JSON.stringify({ type, cleaned }));`;
  // Root may read everything, unless it gives up that right.
  const humble =
    process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : ['env'];
  const order = JSON.stringify({ world, work });
  const words = [...humble, process.execPath, '--input-type=module', '-e', program, order];
  const printed = execFileSync(words[0]!, words.slice(1), { env: plainEnvironment(), encoding: 'utf8' });
  expect(JSON.parse(printed)).toMatchObject({
    type: 'integrated',
    cleaned: { how: 'kept', reason: expect.stringContaining('secret.txt') },
  });
  expect(ground.made()).not.toHaveProperty('secret.txt');
  expect(ground.made()).toMatchObject({ 'made.txt': 'made' });
  expect(readFileSync(join(place.path, 'secret.txt'), 'utf8')).toBe('secret');
});
