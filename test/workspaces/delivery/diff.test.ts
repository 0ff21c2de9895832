import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { diffOf } from '../../../src/workspaces/delivery/diff.ts';
import { addWorktree } from '../../../src/workspaces/git/index.ts';
import type { Diff, DiffOrder } from '../../../src/workspaces/index.ts';
import { fingerprint, shell, userState, write } from '../../support/git-playground.ts';
import { runGround, type RunGround } from './run-ground.ts';

function diff(ground: RunGround, more: Partial<DiffOrder> = {}): Promise<Diff> {
  const { repository, base: from } = ground;
  const to = { type: 'run', run: 'r1' } as const;
  return diffOf(ground.git, { repository, from, to, form: 'stat', isColoured: false, columns: 80, ...more });
}

describe('what a run has changed', () => {
  test('is told by file, as a summary, as names and as a patch', async () => {
    const ground = runGround();
    const before = userState(ground.root);
    const { from, to, files, text } = await diff(ground);
    expect([from, to]).toEqual([ground.base, ground.tip]);
    expect(files).toEqual([
      { path: 'new.txt', added: 1, removed: 0 },
      { path: 'src/a.txt', added: 1, removed: 1 },
      { path: 'src/b.txt', added: 0, removed: 1 },
    ]);
    expect(text).toContain(' 3 files changed, 2 insertions(+), 2 deletions(-)\n');
    expect((await diff(ground, { form: 'name-only' })).text).toBe('new.txt\nsrc/a.txt\nsrc/b.txt\n');
    const patch = (await diff(ground, { form: 'patch' })).text;
    expect(patch).toContain('\n-two\n+TWO\n');
    expect(userState(ground.root)).toBe(before);
  });

  test('can be applied as a patch, also where the user likes diffs otherwise', async () => {
    const ground = runGround({ 'ä b\t.txt': 'x\n' });
    shell(ground.root, 'config', 'diff.noprefix', 'true');
    shell(ground.root, 'config', 'diff.external', 'false');
    const { files } = await diff(ground);
    expect(files.map(({ path }) => path)).toContain('ä b\t.txt');
    const { text } = await diff(ground, { form: 'patch' });
    write(ground.folder, { 'run.patch': text });
    shell(ground.root, 'apply', '-p0', join(ground.folder, 'run.patch'));
    shell(ground.root, 'add', '--all');
    expect(shell(ground.root, 'diff', '--no-ext-diff', '--cached', 'piton/r1')).toBe('');
  });

  test('is coloured if that is wanted, and the user has not told git otherwise', async () => {
    const ground = runGround();
    expect((await diff(ground, { form: 'patch', isColoured: true })).text).toContain('\u001b[32m+');
    shell(ground.root, 'config', 'color.ui', 'never');
    expect((await diff(ground, { form: 'patch', isColoured: true })).text).not.toContain('\u001b');
  });

  test('names the pager of the user, if there is one', async () => {
    const ground = runGround();
    expect(await diff(ground)).not.toHaveProperty('pager');
    shell(ground.root, 'config', 'core.pager', 'delta --dark');
    expect(await diff(ground)).not.toHaveProperty('pager');
    await ground.git.recordConfig(ground.repository, { isFirst: false });
    expect(await diff(ground)).toMatchObject({ pager: 'delta --dark' });
  });

  test('is an error that says so, if it has no branch', async () => {
    const ground = runGround();
    await expect(diff(ground, { to: { type: 'run', run: 'other' } })).rejects.toMatchObject({
      code: 'NOTHING_TO_DELIVER',
    });
  });

  test('a binary file has no lines', async () => {
    const ground = runGround({ 'x.bin': 'a\0b' });
    expect((await diff(ground)).files).toContainEqual({ path: 'x.bin' });
  });
});

describe('what a task at work has changed', () => {
  test('is all that is in its worktree now, committed or not, tracked or not; nothing there is touched', async () => {
    const ground = runGround();
    const { path, gitDir } = await addWorktree(ground.git, ground.order('build'));
    write(path, { 'src/a.txt': 'one\n', 'staged.txt': 's\n', 'loose.txt': 'l\n', 'x.log': 'ignored' });
    shell(path, 'add', 'staged.txt');
    rmSync(join(path, 'src/b.txt'));
    const before = [fingerprint(path), fingerprint(gitDir)];
    const to = { type: 'place', path, otherwise: ground.base } as const;
    const { files } = await diff(ground, { to });
    expect(files.map((file) => file.path)).toEqual(['loose.txt', 'src/a.txt', 'src/b.txt', 'staged.txt']);
    expect([fingerprint(path), fingerprint(gitDir)]).toEqual(before);
  });

  test('is what was last saved, if the worktree is gone', async () => {
    const ground = runGround();
    const { path } = await addWorktree(ground.git, ground.order('build'));
    rmSync(path, { recursive: true });
    const to = { type: 'place', path, otherwise: ground.tip } as const;
    expect(await diff(ground, { to })).toMatchObject({ to: ground.tip });
    expect(readFileSync(join(ground.root, 'src/a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
  });
});
