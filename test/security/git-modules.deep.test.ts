/** Commits that an agent has made in a submodule of its worktree, in unusual places. See git-modules.test.ts. */
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commit, fingerprint, playground, shell, write } from '../support/git-playground.ts';
import { commitInside, deinit, gitDirOf, integrate, keptIn, moduleGround } from '../support/module-ground.ts';

describe('a commit in a submodule', () => {
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
});
