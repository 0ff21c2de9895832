import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addWorktree, snapshotTree } from '../../../src/workspaces/git/index.ts';
import { live, type LifeOrder } from '../../support/git-life.ts';
import { at, trailers } from '../../support/git-orders.ts';
import {
  commit,
  fingerprint,
  fsck,
  gitBehind,
  ownRefs,
  playground,
  shell,
  testGit,
  treeOf,
  userState,
  write,
  type Playground,
} from '../../support/git-playground.ts';
import { eachAtOnce, killAt, placesPassed, type Starter } from '../../support/kill.ts';
import { startProgram } from '../../support/start-program.ts';

function orderOf({ repository, folder, base }: Playground): LifeOrder {
  const worktrees = join(folder, 'worktrees');
  mkdirSync(worktrees, { recursive: true });
  return { commonDir: repository.commonDir, worktrees, base };
}

function starting(ground: Playground, under = ':'): Starter {
  const args = [JSON.stringify(orderOf(ground))];
  return (env) => startProgram('git-life', { args, env, under });
}

/** All that must be the same, wherever the process was killed. */
function ending({ root, folder }: Playground): object {
  const worktrees = join(folder, 'worktrees');
  return {
    refs: ownRefs(root),
    folders: readdirSync(worktrees),
    files: fingerprint(join(worktrees, 'again'), (name) => name === '.git'),
    status: shell(join(worktrees, 'again'), 'status', '--porcelain', '--branch'),
    records: shell(root, 'worktree', 'list').split('\n').length,
    fsck: fsck(root),
  };
}

/** Of each kind of effect the first or the last; what comes after one is what comes before the next. */
function oneOfEachName(places: readonly string[]): string[] {
  const after = places.filter((place) => place.startsWith('after:'));
  const kinds = Map.groupBy(after, (place) => place.split('#')[0]);
  return [...kinds.values()].map((same, index) => (index % 2 === 0 ? same[0]! : same.at(-1)!));
}

describe('the life of a worktree', () => {
  test('killed after each kind of its effects, it ends as if nothing had happened', async () => {
    const untouched = playground();
    write(untouched.root, { 'README.md': 'uncommitted', untracked: 'x' });
    const user = userState(untouched.root);
    const places = oneOfEachName((await placesPassed(starting(untouched))).flat());
    const expected = ending(untouched);
    expect(expected).toMatchObject({ folders: ['again'], records: 2, fsck: '' });
    expect(userState(untouched.root)).toBe(user);
    expect(places.length).toBeGreaterThan(12);
    const grounds = places.map((place) => ({ place, ground: playground() }));
    await eachAtOnce(grounds, async ({ place, ground }) => {
      write(ground.root, { 'README.md': 'uncommitted', untracked: 'x' });
      const before = userState(ground.root);
      await killAt(place, starting(ground));
      await live(testGit(), orderOf(ground));
      expect({ place, ...ending(ground) }).toEqual({ place, ...expected });
      expect([place, userState(ground.root)]).toEqual([place, before]);
    });
  });

  test('with its gits killed in the middle, it ends as if nothing had happened', async () => {
    const untouched = playground();
    await live(testGit(), orderOf(untouched));
    const expected = ending(untouched);
    let killed = 0;
    for (const [index, count] of Array.from({ length: 10 }, (_, index) => [index, 3 + index * 5] as const)) {
      const ground = playground();
      const before = userState(ground.root);
      const counter = join(ground.folder, 'counter');
      // Dies like a git that is killed: by the signal, some moments after the real one has begun.
      const script = `echo x >> ${counter}
        [ "$(wc -l < ${counter})" -eq ${count} ] || exec "$GIT" "$@"
        "$GIT" "$@" <&0 & sleep 0.00${1 + (index % 4)}; kill -9 $! $$`;
      const git = testGit({ environment: gitBehind(script) });
      const ended = await live(git, orderOf(ground)).then(
        () => 'lived',
        () => 'killed',
      );
      if (ended === 'killed') killed += 1;
      await live(testGit(), orderOf(ground));
      expect({ count, ...ending(ground) }).toEqual({ count, ...expected });
      expect([count, userState(ground.root)]).toEqual([count, before]);
    }
    expect(killed).toBeGreaterThan(5);
  });

  test('under full durability it comes to the same end', async () => {
    const [one, other] = [playground(), playground()];
    await live(testGit(), orderOf(one));
    await live(testGit({ durability: 'full' }), orderOf(other));
    expect(ending(other)).toEqual(ending(one));
  });
});

describe('a git killed in the middle of its files', () => {
  /** Git starts this for every file that ends in `.bomb`; as long as there is a fuse, it kills the git that started it. */
  function armed(ground: Playground): { base: string; fuse: string } {
    const fuse = join(ground.folder, 'fuse');
    const filter = `if [ -e ${fuse} ]; then rm ${fuse}; kill -9 $PPID; fi; cat`;
    const base = commit(ground.root, {
      '.gitattributes': '*.bomb filter=bomb\n',
      'm.bomb': 'm',
      'z.txt': 'z',
    });
    for (const way of ['smudge', 'clean']) shell(ground.root, 'config', `filter.bomb.${way}`, filter);
    return { base, fuse };
  }

  test('at the checkout leaves a half-made worktree, which is finished by doing it again', async () => {
    const ground = playground();
    const { base, fuse } = armed(ground);
    writeFileSync(fuse, '');
    const order = ground.order('build', { base });
    await expect(addWorktree(ground.git, order)).rejects.toMatchObject({ details: { reason: 'killed' } });
    expect(existsSync(join(order.path, 'z.txt'))).toBe(false);
    expect(existsSync(join(ground.root, '.git/worktrees/build/index.lock'))).toBe(true);
    const { path } = await addWorktree(ground.git, order);
    expect(shell(path, 'status', '--porcelain')).toBe('');
    expect(existsSync(join(path, 'z.txt'))).toBe(true);
  });

  test('at a snapshot leaves nothing but loose objects, and the next one is whole', async () => {
    const ground = playground();
    const { base, fuse } = armed(ground);
    const worktree = await addWorktree(ground.git, ground.order('build', { base }));
    write(worktree.path, { 'm.bomb': 'changed', 'zz.txt': 'new' });
    writeFileSync(fuse, '');
    const order = { worktree, message: 'A snapshot', trailers, at };
    const before = [ownRefs(ground.root), shell(worktree.path, 'status', '--porcelain')];
    writeFileSync(fuse, '');
    await expect(snapshotTree(ground.git, order)).rejects.toMatchObject({ code: 'GIT_FAILED' });
    expect([ownRefs(ground.root), shell(worktree.path, 'status', '--porcelain')]).toEqual(before);
    const { commit: made } = await snapshotTree(ground.git, order);
    expect(treeOf(ground.root, made)).toMatchObject({ 'm.bomb': 'changed', 'zz.txt': 'new' });
    expect(fsck(ground.root)).toBe('');
  });
});

const mount = (folder: string): string => `mount -t tmpfs -o size=200k tmpfs ${folder}`;
const canMount = spawnSync('unshare', ['-Urm', 'sh', '-c', mount('/mnt')]).status === 0;

test.runIf(canMount)(
  'a disk that is full at the checkout is told, and with room the work goes on',
  async () => {
    const plain = playground();
    const base = commit(plain.root, { 'large.txt': 'x'.repeat(2_000_000) });
    const ground = { ...plain, base };
    const { worktrees } = orderOf(ground);
    const under = `[ -n "$INSIDE" ] || INSIDE=1 exec unshare -Urm sh -c '${mount(worktrees)}; exec "$0" "$@"' "$0" "$@"`;
    expect(await starting(ground, under)({}).ended()).toMatchObject({ lines: ['failed: disk-full'] });
    expect(await starting(ground)({}).ended()).toMatchObject({ lines: ['lived'] });
    expect(fsck(ground.root)).toBe('');
  },
);
