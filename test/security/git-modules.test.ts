/** Commits that an agent has made in a submodule of its worktree: the user gets them, and nobody else's repository is touched. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mergeRun } from '../../src/workspaces/delivery/merge-run.ts';
import type { RunMerged } from '../../src/workspaces/index.ts';
import { readLink } from '../../src/workspaces/git/index.ts';
import { commit, fingerprint, fsck, playground, shell, write } from '../support/git-playground.ts';
import {
  archivedModule,
  commitInside,
  deinit,
  keptIn,
  mergeOf,
  moduleGround,
  submodule,
  type ModuleGround,
} from '../support/module-ground.ts';

function integrate({ build }: ModuleGround): Promise<unknown> {
  return build.integrate().catch((error: unknown) => error);
}

function merge(found: ModuleGround, isDryRun = false): Promise<RunMerged> {
  return mergeRun(found.git, mergeOf(found, isDryRun));
}

async function gitDirOf({ inner }: ModuleGround): Promise<string> {
  const link = await readLink(inner);
  if (link.type !== 'linked') throw new Error(link.type);
  return link.gitDir;
}

describe('a commit in a submodule', () => {
  test('is brought to the user’s repository of it, and is there after the merge, though the worktree is gone', async () => {
    const found = await moduleGround();
    const made = commitInside(found);
    expect(await integrate(found)).toMatchObject({ type: 'integrated' });
    expect(keptIn(found)).toBe(`refs/piton/kept/${made}`);
    shell(found.root, 'worktree', 'remove', '--force', '--force', found.build.path);
    renameSync(found.library, `${found.library}-gone`);
    expect(await merge(found)).toMatchObject({ submodules: ['a lib'] });
    shell(found.root, ...submodule, 'update');
    expect(shell(join(found.root, 'a lib'), 'rev-parse', 'HEAD')).toBe(made);
    expect([fsck(found.root), fsck(found.modules)]).toEqual(['', '']);
  });

  test('holds the task if the user has no repository of it; with one, it goes on', async () => {
    const found = await moduleGround();
    const made = commitInside(found);
    deinit(found);
    expect(await integrate(found)).toMatchObject({
      code: 'SUBMODULE_UNKNOWN',
      details: { path: 'a lib', commit: made },
      remedy: expect.stringContaining("git submodule update --init -- 'a lib'") as string,
    });
    expect(found.runTip()).toBe(found.origin.base);
    shell(found.root, ...submodule, 'update', '--init');
    expect(await integrate(found)).toMatchObject({ type: 'integrated' });
    expect(keptIn(found)).toBe(`refs/piton/kept/${made}`);
  });

  test('that holds a secret holds the task, and is not kept', async () => {
    const found = await moduleGround();
    commitInside(found);
    const secrets = { TOKEN: 'of the agent', OTHER: 'not in there' };
    expect(await found.build.integrate({ secrets })).toEqual({
      type: 'secrets',
      found: [{ path: 'a lib/own.txt', secret: 'TOKEN' }],
    });
    expect([keptIn(found), found.runTip()]).toEqual(['', found.origin.base]);
  });

  test('that others can fetch holds nothing, and leaves no ref', async () => {
    const found = await moduleGround();
    commit(found.library, { 'later.txt': 'of others' });
    deinit(found);
    shell(found.inner, '-c', 'protocol.file.allow=always', 'pull', '--quiet', 'origin', 'main');
    expect(await integrate(found)).toMatchObject({ type: 'integrated' });
    expect(keptIn(found)).toBe('');
  });

  test('that is nowhere holds the task', async () => {
    const found = await moduleGround();
    shell(found.build.path, 'update-index', '--cacheinfo', `160000,${found.origin.base},a lib`);
    rmSync(found.inner, { recursive: true });
    mkdirSync(found.inner);
    shell(found.build.path, 'commit', '--quiet', '-m', 'no such commit');
    expect(await integrate(found)).toMatchObject({ code: 'SUBMODULE_UNKNOWN' });
  });
});

describe('nothing else is written to, or read:', () => {
  test('the submodule of the user leads to another repository', async () => {
    const found = await moduleGround();
    commitInside(found);
    const { root: other, repository } = playground('other');
    const before = fingerprint(other);
    writeFileSync(join(found.root, 'a lib/.git'), `gitdir: ${repository.commonDir}\n`);
    expect(await integrate(found)).toMatchObject({ code: 'SUBMODULE_UNKNOWN' });
    expect(fingerprint(other)).toBe(before);
  });

  test.for(['objects/pack', 'refs/piton'])('a link in it leads there: %s', async (part) => {
    const found = await moduleGround();
    commitInside(found);
    const outside = join(found.folder, 'outside');
    mkdirSync(outside);
    rmSync(join(found.modules, part), { recursive: true, force: true });
    symlinkSync(outside, join(found.modules, part));
    expect(await integrate(found)).toMatchObject({ code: 'SUBMODULE_UNKNOWN' });
    expect(readdirSync(outside)).toEqual([]);
  });

  test('the submodule of the task borrows the objects of another repository', async () => {
    const found = await moduleGround();
    const { root: other } = playground('other');
    const secret = commit(other, { 'secret.txt': 'secret' });
    write(await gitDirOf(found), { 'objects/info/alternates': `${join(other, '.git/objects')}\n` });
    shell(found.inner, 'checkout', '--quiet', '--detach', secret);
    expect(await integrate(found)).toMatchObject({ code: 'SUBMODULE_UNKNOWN' });
    expect(keptIn(found)).toBe('');
  });

  test('the submodule of the task has links among its objects', async () => {
    const found = await moduleGround();
    const { root: other } = playground('other');
    const secret = commit(other, { 'secret.txt': 'secret' });
    const objects = join(await gitDirOf(found), 'objects');
    for (const name of readdirSync(join(other, '.git/objects')).filter((one) => one.length === 2)) {
      rmSync(join(objects, name), { recursive: true, force: true });
      symlinkSync(join(other, '.git/objects', name), join(objects, name));
    }
    shell(found.inner, 'update-ref', '--no-deref', 'HEAD', secret);
    expect(await integrate(found)).toMatchObject({ code: 'SUBMODULE_UNKNOWN' });
  });

  test('the configuration of either starts nothing', async () => {
    const found = await moduleGround();
    commitInside(found);
    const trace = join(found.folder, 'trace');
    for (const gitDir of [await gitDirOf(found), found.modules])
      for (const key of [
        'core.fsmonitor',
        'core.alternateRefsCommand',
        'uploadpack.packObjectsHook',
        'core.pager',
      ])
        shell(gitDir, 'config', key, `touch ${trace}; cat`);
    expect(await integrate(found)).toMatchObject({ type: 'integrated' });
    expect(existsSync(trace)).toBe(false);
  });
});

describe('a commit in a submodule that only an archive has', () => {
  test('refuses the merge without a repository for it; with one, it is brought there', async () => {
    const found = await archivedModule();
    const refusal = await merge(found, true).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'MERGE_REFUSED',
      remedy: expect.stringContaining("git submodule update --init -- 'a lib'") as string,
    });
    await expect(merge(found)).rejects.toMatchObject({ code: 'MERGE_REFUSED' });
    expect(shell(found.root, 'rev-parse', 'HEAD')).toBe(found.origin.base);
    shell(found.root, ...submodule, 'update', '--init');
    await merge(found, true);
    expect(keptIn(found)).toBe('');
    expect(await merge(found)).toMatchObject({ submodules: ['a lib'] });
    expect(keptIn(found)).toBe(`refs/piton/kept/${found.made}`);
    renameSync(found.library, `${found.library}-gone`);
    shell(found.root, ...submodule, 'update');
    expect(shell(join(found.root, 'a lib'), 'rev-parse', 'HEAD')).toBe(found.made);
  });
});
