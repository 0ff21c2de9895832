import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inspectRepository, type GitRepository } from '../../../src/workspaces/git/index.ts';
import {
  commit,
  playground,
  gitBehind,
  shell,
  testGit,
  userState,
  write,
} from '../../support/git-playground.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const git = testGit();

async function inspect(folder: string): Promise<GitRepository> {
  const found = await inspectRepository(git, folder);
  if (found.type === 'none') throw new Error(`${folder} is in no repository`);
  return found;
}

describe('looking at a repository', () => {
  test('tells all about a plain one, and changes nothing in it', async () => {
    const { root, base } = playground();
    write(root, { 'new file.txt': 'x', 'README.md': 'changed' });
    const before = userState(root);
    expect(await inspect(root)).toEqual({
      type: 'git',
      root,
      subfolder: '',
      gitDir: join(root, '.git'),
      commonDir: join(root, '.git'),
      head: base,
      branch: 'refs/heads/main',
      isBare: false,
      isCaseInsensitive: false,
      uncommitted: 2,
    });
    expect(userState(root)).toBe(before);
  });

  test('a folder outside of any repository has none', async () => {
    expect(await inspectRepository(git, temporaryFolder())).toEqual({ type: 'none' });
  });

  test('a folder that is not there is an error, not the absence of a repository', async () => {
    await expect(inspectRepository(git, '/nonexistent/x')).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
  });

  test('a repository of another user is an error with a remedy, not the absence of one', async () => {
    const { root } = playground();
    const environment = gitBehind('export GIT_TEST_ASSUME_DIFFERENT_OWNER=1; exec "$GIT" "$@"');
    const looking = inspectRepository(testGit({ environment }), root);
    await expect(looking).rejects.toMatchObject({
      code: 'GIT_FAILED',
      details: { reason: 'dubious-ownership' },
    });
    await expect(looking).rejects.toThrow('safe.directory');
  });

  test('an empty repository has no head', async () => {
    const folder = realpathSync(temporaryFolder());
    shell(folder, 'init', '--quiet', '--initial-branch=main');
    expect(await inspect(folder)).toMatchObject({
      head: undefined,
      branch: 'refs/heads/main',
      uncommitted: 0,
    });
  });

  test('a detached HEAD has no branch', async () => {
    const { root, base } = playground();
    shell(root, 'checkout', '--quiet', '--detach');
    expect(await inspect(root)).toMatchObject({ head: base, branch: undefined });
  });

  test('a bare repository is told to be bare', async () => {
    const { root, folder, base } = playground();
    shell(folder, 'clone', '--quiet', '--bare', root, 'bare.git');
    const bare = join(folder, 'bare.git');
    expect(await inspect(bare)).toMatchObject({
      isBare: true,
      root: bare,
      commonDir: bare,
      head: base,
      uncommitted: 0,
    });
  });

  test('from a subfolder with spaces and Unicode the top is found', async () => {
    const { root } = playground('my äöü repo');
    write(root, { 'packages/ünit one/x.txt': 'x' });
    expect(await inspect(join(root, 'packages/ünit one'))).toMatchObject({
      root,
      subfolder: 'packages/ünit one',
    });
  });

  test('inside of `.git` it is still the same repository', async () => {
    const { root } = playground();
    expect(await inspect(join(root, '.git'))).toMatchObject({ root, isBare: false });
  });

  test('another worktree shares the repository, and has its own root and HEAD', async () => {
    const { root, folder } = playground();
    shell(root, 'worktree', 'add', '--quiet', '-b', 'side', join(folder, 'side'));
    expect(await inspect(join(folder, 'side'))).toMatchObject({
      root: join(folder, 'side'),
      commonDir: join(root, '.git'),
      branch: 'refs/heads/side',
    });
  });

  test('a submodule is a repository of its own', async () => {
    const { root } = playground();
    const library = playground('library');
    shell(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'lib');
    commit(root, {}, 'with a submodule');
    expect(await inspect(join(root, 'lib'))).toMatchObject({ root: join(root, 'lib'), head: library.base });
  });

  test('a file system that ignores case is known from the configuration', async () => {
    const { root } = playground();
    shell(root, 'config', 'core.ignoreCase', 'true');
    expect(await inspect(root)).toMatchObject({ isCaseInsensitive: true });
  });

  test('a folder whose `.git` is damaged is an error', async () => {
    const { root } = playground();
    const folder = join(root, 'odd');
    mkdirSync(folder);
    writeFileSync(join(folder, '.git'), 'nonsense');
    await expect(inspectRepository(git, folder)).rejects.toMatchObject({ code: 'GIT_FAILED' });
  });
});
