import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addWorktree, snapshotTree } from '../../../src/workspaces/git/index.ts';
import { live } from '../../support/git-life.ts';
import { at, trailers } from '../../support/git-orders.ts';
import {
  commit,
  fsck,
  ownRefs,
  playground,
  shell,
  testGit,
  treeOf,
  write,
  type Playground,
} from '../../support/git-playground.ts';
import { some } from '../../support/kill.ts';

import { ending, killGits, killLife, orderOf, starting } from './life-kills.ts';

describe('the life of a worktree', () => {
  test('killed after some of its effects, it ends as if nothing had happened', async () => {
    expect(await killLife(some(3))).toBe(3);
  });

  test('with its gits killed in the middle, it ends as if nothing had happened', async () => {
    expect(await killGits([13, 28])).toBeGreaterThan(0);
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
  async function armed(ground: Playground): Promise<{ base: string; fuse: string }> {
    const fuse = join(ground.folder, 'fuse');
    const filter = `if [ -e ${fuse} ]; then rm ${fuse}; kill -9 $PPID; fi; cat`;
    const base = commit(ground.root, {
      '.gitattributes': '*.bomb filter=bomb\n',
      'm.bomb': 'm',
      'z.txt': 'z',
    });
    for (const way of ['smudge', 'clean']) shell(ground.root, 'config', `filter.bomb.${way}`, filter);
    await ground.git.recordConfig(ground.repository, { isFirst: false });
    return { base, fuse };
  }

  test('at the checkout leaves a half-made worktree, which is finished by doing it again', async () => {
    const ground = playground();
    const { base, fuse } = await armed(ground);
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
    const { base, fuse } = await armed(ground);
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
