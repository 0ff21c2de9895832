import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  addWorktree,
  findWorktree,
  keptRef,
  listRefs,
  listWorktrees,
  moveRef,
  tidyRecord,
  readRef,
  removeWorktree,
  taskBranch,
} from '../../../src/workspaces/git/index.ts';
import { plainEnvironment } from '../../support/git-orders.ts';
import {
  gitBehind,
  commit,
  fingerprint,
  firstFiles,
  fsck,
  playground,
  shell,
  testGit,
  userState,
  write,
} from '../../support/git-playground.ts';

function contentOf(path: string): string {
  return fingerprint(path, (name) => name === '.git');
}

describe('adding a worktree', () => {
  test('checks out the base on the branch of the task and leaves the mark outside of the tree', async () => {
    const { git, order, root, base, repository } = playground();
    write(root, { 'README.md': 'uncommitted', 'untracked.txt': 'x' });
    const before = userState(root);
    const added = await addWorktree(git, order());
    expect(added).toMatchObject({ path: order().path, head: base, isNew: true });
    expect(readFileSync(join(added.path, 'README.md'), 'utf8')).toBe(firstFiles['README.md']);
    expect(shell(added.path, 'status', '--porcelain', '--ignored')).toBe('');
    expect(shell(added.path, 'symbolic-ref', 'HEAD')).toBe(order().branch);
    expect(await tidyRecord(added.gitDir)).toMatchObject({
      run: 'run-1',
      task: 'build',
      token: 'token-1',
      isReady: true,
    });
    expect(await readRef(git, repository, order().branch)).toBe(base);
    expect(userState(root)).toBe(before);
  });

  test('done again finds the same one with the work that is in it', async () => {
    const { git, order } = playground();
    const first = await addWorktree(git, order());
    const head = commit(first.path, { 'work.txt': 'done' });
    write(first.path, { 'README.md': 'half done' });
    rmSync(join(first.path, 'src/b.txt'));
    const before = fingerprint(first.path);
    expect(await addWorktree(git, order())).toEqual({ ...first, head, isNew: false });
    expect(fingerprint(first.path)).toBe(before);
  });

  test.for(['a folder with spaces', 'ünïcode ✓', 'quotes \' and "', '-dash', 'trailing.lock'])(
    'in %j works',
    async (name) => {
      const { git, order, folder, repository } = playground();
      const given = order('build', { path: join(folder, name, 'w') });
      const added = await addWorktree(git, given);
      expect(await findWorktree(git, repository, given.path)).toMatchObject({
        path: added.path,
        gitDir: added.gitDir,
      });
      expect(await removeWorktree(git, given)).toEqual({ type: 'removed' });
      expect(existsSync(added.path)).toBe(false);
    },
  );

  test('reached through a symbolic link is the same one', async () => {
    const { git, order, folder, root } = playground();
    mkdirSync(join(folder, 'worktrees'));
    symlinkSync(join(folder, 'worktrees'), join(folder, 'link'));
    const added = await addWorktree(git, order());
    expect((await addWorktree(git, order('build', { path: join(folder, 'link/build') }))).isNew).toBe(false);
    expect(added.path).toBe(join(folder, 'worktrees/build'));
    symlinkSync(join(root, '.git'), join(folder, 'git-link'));
    const linked = order('build', { repository: { commonDir: join(folder, 'git-link') } });
    expect((await addWorktree(git, linked)).isNew).toBe(false);
    expect(await removeWorktree(git, linked)).toEqual({ type: 'removed' });
  });

  test('inside of the user’s checkout leaves the checkout as it was', async () => {
    const { git, order, root } = playground();
    const path = join(root, '.piton/worktrees/build');
    await addWorktree(git, order('build', { path }));
    // Its `.git` is deleted: git would find the user's repository above it.
    rmSync(join(path, '.git'));
    await expect(addWorktree(git, order('build', { path }))).rejects.toMatchObject({
      code: 'WORKTREE_REFUSED',
    });
    expect(shell(root, 'status', '--porcelain')).toBe('?? .piton/');
  });

  test('a branch that is at the base already is taken', async () => {
    const { git, order, repository, base } = playground();
    await moveRef(git, repository, { ref: order().branch, to: base, from: undefined });
    expect(await addWorktree(git, order())).toMatchObject({ head: base, isNew: true });
  });

  test('a branch that has gone on from the base is checked out with its work', async () => {
    const { git, order, repository, root, base } = playground();
    const later = shell(root, 'commit-tree', '-p', base, '-m', 'later', `${base}^{tree}`);
    await moveRef(git, repository, { ref: order().branch, to: later, from: undefined });
    expect(await addWorktree(git, order())).toMatchObject({ head: later, isNew: true });
  });

  test('a branch that does not contain the base is left alone, and the refusal says where it is', async () => {
    const { git, order, repository, root, base } = playground();
    const other = shell(root, 'commit-tree', '-m', 'other', `${base}^{tree}`);
    await moveRef(git, repository, { ref: order().branch, to: other, from: undefined });
    await expect(addWorktree(git, order())).rejects.toThrow(other);
    expect(await readRef(git, repository, order().branch)).toBe(other);
    expect(existsSync(order().path)).toBe(false);
  });

  test('a branch that somebody has checked out elsewhere is named with its place', async () => {
    const { git, order, root, folder, repository, base } = playground();
    await moveRef(git, repository, { ref: order().branch, to: base, from: undefined });
    shell(
      root,
      'worktree',
      'add',
      '--quiet',
      join(folder, 'elsewhere'),
      order().branch.replace('refs/heads/', ''),
    );
    await expect(addWorktree(git, order())).rejects.toThrow(join(folder, 'elsewhere'));
  });

  test('a folder that is there and not ours is refused, and not a byte of it changes', async () => {
    const { git, order } = playground();
    write(order().path, { 'precious.txt': 'mine' });
    await expect(addWorktree(git, order())).rejects.toMatchObject({ code: 'WORKTREE_REFUSED' });
    expect(readFileSync(join(order().path, 'precious.txt'), 'utf8')).toBe('mine');
  });

  test('the worktree of another task, token or person at that place is refused', async () => {
    const { git, order, folder, root } = playground();
    await addWorktree(git, order());
    const other = { branch: taskBranch('run-1', 'other') };
    await expect(addWorktree(git, order('build', { ...other, task: 'other' }))).rejects.toThrow(
      'somebody else',
    );
    await expect(addWorktree(git, order('build', { token: 'token-2' }))).rejects.toThrow('somebody else');
    shell(root, 'worktree', 'add', '--quiet', '-b', 'mine', join(folder, 'mine'));
    await expect(addWorktree(git, order('build', { path: join(folder, 'mine') }))).rejects.toThrow(
      'somebody else',
    );
  });

  test('a base that is not there is an error, and leaves nothing behind', async () => {
    const { git, order, repository } = playground();
    await expect(addWorktree(git, order('build', { base: 'f'.repeat(40) }))).rejects.toMatchObject({
      code: 'GIT_FAILED',
    });
    expect(existsSync(order().path)).toBe(false);
    expect(await readRef(git, repository, order().branch)).toBeUndefined();
  });

  test('a branch of the user is refused', async () => {
    const { git, order } = playground();
    const given = order('build', { branch: 'refs/heads/main' });
    await expect(addWorktree(git, given)).rejects.toMatchObject({ code: 'REF_NOT_OURS' });
  });

  test('hooks of the user do not run at the checkout', async () => {
    const { git, order, root, folder } = playground();
    const hook = join(root, '.git/hooks/post-checkout');
    writeFileSync(hook, `#!/bin/sh\ntouch ${folder}/hook-was-here\nexit 1\n`);
    chmodSync(hook, 0o755);
    await addWorktree(git, order());
    expect(existsSync(join(folder, 'hook-was-here'))).toBe(false);
  });

  test('twenty at once all come to be', async () => {
    const { git, order, repository, root } = playground();
    const tasks = Array.from({ length: 20 }, (_, index) => `task-${index}`);
    await Promise.all(tasks.map((task) => addWorktree(git, order(task))));
    const paths = (await listWorktrees(git, repository)).slice(1).map(({ path }) => path);
    expect(paths.sort()).toEqual(tasks.map((task) => order(task).path).sort());
    expect(fsck(root)).toBe('');
  });
});

describe('a worktree that was lost is made again', () => {
  test('when its folder was deleted, with all that its branch holds', async () => {
    const { git, order } = playground();
    const { path } = await addWorktree(git, order());
    const head = commit(path, { 'work.txt': 'done' });
    rmSync(path, { recursive: true });
    expect(await addWorktree(git, order())).toMatchObject({ head, isNew: true });
    expect(readFileSync(join(path, 'work.txt'), 'utf8')).toBe('done');
  });

  test('and commits that only its reflog led to get a ref', async () => {
    const { git, order, repository, base } = playground();
    const { path } = await addWorktree(git, order());
    const lost = commit(path, { 'work.txt': 'reset away' });
    shell(path, 'reset', '--quiet', '--hard', base);
    shell(path, 'checkout', '--quiet', '--detach');
    const detached = commit(path, { 'work.txt': 'detached' });
    rmSync(path, { recursive: true });
    await addWorktree(git, order());
    const kept = await listRefs(git, repository, 'refs/piton/');
    expect(kept).toEqual(
      new Map([lost, detached].sort().map((one) => [keptRef('run-1', 'build', one), one])),
    );
  });

  test('when it was pruned from the record as well', async () => {
    const { git, order, root, base } = playground();
    const { path } = await addWorktree(git, order());
    rmSync(path, { recursive: true });
    shell(root, 'worktree', 'prune', '--expire=now');
    expect(await addWorktree(git, order())).toMatchObject({ head: base, isNew: true });
  });

  test('but not when another folder has taken its place', async () => {
    const { git, order } = playground();
    const { path } = await addWorktree(git, order());
    renameSync(path, `${path}-moved`);
    write(path, { 'other.txt': 'x' });
    await expect(addWorktree(git, order())).rejects.toThrow('taken the place');
    expect(existsSync(join(path, 'other.txt'))).toBe(true);
  });

  test('and not when it is gone, but locked', async () => {
    const { git, order, root } = playground();
    const { path } = await addWorktree(git, order());
    shell(root, 'worktree', 'lock', '--reason=on a stick', path);
    rmSync(path, { recursive: true });
    await expect(addWorktree(git, order())).rejects.toThrow('on a stick');
  });

  test('when it was half checked out by a git that was killed and left its lock', async () => {
    const { git, order } = playground();
    const { path, gitDir } = await addWorktree(git, order());
    const whole = contentOf(path);
    // The state between registering and the end of the checkout.
    const marker = JSON.parse(readFileSync(join(gitDir, 'piton.json'), 'utf8')) as object;
    writeFileSync(join(gitDir, 'piton.json'), JSON.stringify({ ...marker, isReady: false }));
    rmSync(join(gitDir, 'index'));
    writeFileSync(join(gitDir, 'index.lock'), 'torn');
    rmSync(join(path, 'src/a.txt'));
    writeFileSync(join(path, 'README.md'), 'Hel');
    expect((await addWorktree(git, order())).isNew).toBe(false);
    expect(contentOf(path)).toBe(whole);
    expect(shell(path, 'status', '--porcelain')).toBe('');
  });

  test('when git was killed between its steps of registering it', async () => {
    const { git, order, root, base, repository } = playground();
    await moveRef(git, repository, { ref: order().branch, to: base, from: undefined });
    shell(
      root,
      'worktree',
      'add',
      '--quiet',
      '--no-checkout',
      order().path,
      order().branch.replace('refs/heads/', ''),
    );
    const { gitDir } = (await findWorktree(git, repository, order().path))!;
    writeFileSync(join(gitDir!, 'locked'), 'initializing\n');
    const added = await addWorktree(git, order());
    expect(shell(added.path, 'status', '--porcelain')).toBe('');
    expect(await findWorktree(git, repository, order().path)).toMatchObject({ locked: undefined });
    rmSync(join(added.path, '.git'));
    rmSync(added.path, { recursive: true });
    writeFileSync(join(added.gitDir, 'locked'), 'initializing\n');
    expect((await addWorktree(git, order())).isNew).toBe(true);
  });
});

describe('a record that a killed git has left half written', () => {
  test('does not keep others from adding and listing worktrees', async () => {
    const { git, order, root, repository } = playground();
    const wreck = await addWorktree(git, order('wreck'));
    writeFileSync(join(wreck.gitDir, 'commondir'), '');
    expect(() => shell(root, 'worktree', 'list')).toThrow('commondir');
    expect((await addWorktree(git, order())).isNew).toBe(true);
    expect(await listWorktrees(git, repository)).toHaveLength(3);
    expect(shell(wreck.path, 'status', '--porcelain')).toBe('');
  });
});

test.for(['Success', 'No such file or directory'])(
  'a record that another git is just writing is waited for, also where git names an older error (%s)',
  async (reason) => {
    const { folder, order } = playground();
    const told = join(folder, 'told');
    const complaint = `fatal: failed to read ${join(folder, 'repo/.git/worktrees/other/commondir')}: ${reason}`;
    const script = `case " $* " in *" worktree add "*) test -e ${told} || { touch ${told}; echo '${complaint}' >&2; exit 128; };; esac\nexec "$GIT" "$@"`;
    const git = testGit({ environment: gitBehind(script) });
    expect((await addWorktree(git, order())).isNew).toBe(true);
    expect(existsSync(told)).toBe(true);
  },
);

describe('a killed `git worktree add`', () => {
  /** How far it had come: so many files of the record, and the link or not. */
  const stages: readonly (readonly [string, number, boolean])[] = [
    ['nothing but its folder', 0, false],
    ['its lock', 1, false],
    ['the place it is for', 2, false],
    ['the link in the new folder', 2, true],
    ['its HEAD', 3, true],
    ['an empty file for the repository', 4, true],
  ];

  test.for(stages)('that had written %s is made good by adding again', async ([, count, isLinked]) => {
    const { git, order, root, repository } = playground();
    const record = join(root, '.git/worktrees/build');
    const { path } = order();
    const files = [
      ['locked', 'initializing\n'],
      ['gitdir', `${path}/.git\n`],
      ['HEAD', `${'0'.repeat(40)}\n`],
      ['commondir', ''],
    ] as const;
    mkdirSync(record, { recursive: true });
    for (const [name, content] of files.slice(0, count)) writeFileSync(join(record, name), content);
    if (isLinked) write(path, { '.git': `gitdir: ${record}\n` });
    for (const file of [record, join(record, 'commondir')]) if (existsSync(file)) utimesSync(file, 1, 1);
    const added = await addWorktree(git, order());
    expect(shell(path, 'status', '--porcelain')).toBe('');
    expect(await listWorktrees(git, repository)).toHaveLength(2);
    expect(readdirSync(join(root, '.git/worktrees'))).toHaveLength(1);
    expect(await findWorktree(git, repository, path)).toMatchObject({
      gitDir: added.gitDir,
      locked: undefined,
    });
    expect(await removeWorktree(git, order())).toEqual({ type: 'removed' });
  });
});

describe('what a worktree has in it', () => {
  test('the sparse checkout of the user is carried over', async () => {
    const { git, order, root } = playground();
    shell(root, 'sparse-checkout', 'set', '--no-cone', '/README.md');
    const { path } = await addWorktree(git, order());
    expect(existsSync(join(path, 'README.md'))).toBe(true);
    expect(existsSync(join(path, 'src'))).toBe(false);
    expect(shell(path, 'status', '--porcelain')).toBe('');
  });

  test('submodules are empty folders, and it can be removed even after they were filled', async () => {
    const { git, order, root } = playground();
    const library = playground('library');
    shell(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'lib');
    const base = commit(root, {}, 'with a submodule');
    const { path } = await addWorktree(git, order('build', { base }));
    expect(shell(path, 'status', '--porcelain')).toBe('');
    expect(existsSync(join(path, 'lib/README.md'))).toBe(false);
    shell(path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
    expect(existsSync(join(path, 'lib/README.md'))).toBe(true);
    expect(await removeWorktree(git, order())).toEqual({ type: 'removed' });
  });

  test('large files stay pointers, and nothing is started to fetch them', async () => {
    const { git, order, root, folder } = playground();
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 3\n';
    const base = commit(root, { '.gitattributes': '*.bin filter=lfs -text\n', 'big.bin': pointer });
    shell(root, 'config', 'filter.lfs.process', `touch ${folder}/lfs-was-here; exit 1`);
    shell(root, 'config', 'filter.lfs.smudge', `touch ${folder}/lfs-was-here; exit 1`);
    shell(root, 'config', 'filter.lfs.required', 'true');
    await git.recordConfig({ commonDir: join(root, '.git') }, { isFirst: false });
    const { path } = await addWorktree(git, order('build', { base }));
    expect(readFileSync(join(path, 'big.bin'), 'utf8')).toBe(pointer);
    expect(existsSync(join(folder, 'lfs-was-here'))).toBe(false);
  });

  test('from a bare repository it works the same', async () => {
    const { git, order, root, folder, base } = playground();
    shell(folder, 'clone', '--quiet', '--bare', root, 'bare.git');
    const given = order('build', { repository: { commonDir: join(folder, 'bare.git') } });
    expect(await addWorktree(git, given)).toMatchObject({ head: base, isNew: true });
  });

  test('under full durability it is the same worktree', async () => {
    const { order, base } = playground();
    const git = testGit({ durability: 'full', environment: plainEnvironment() });
    expect(await addWorktree(git, order())).toMatchObject({ head: base, isNew: true });
  });
});

describe('removing a worktree', () => {
  test('takes the folder and the record, and leaves the branch', async () => {
    const { git, order, root, repository } = playground();
    const { path, gitDir } = await addWorktree(git, order());
    const head = commit(path, { 'work.txt': 'done' });
    const before = userState(root);
    expect(await removeWorktree(git, order())).toEqual({ type: 'removed' });
    expect([existsSync(path), existsSync(gitDir)]).toEqual([false, false]);
    expect(await readRef(git, repository, order().branch)).toBe(head);
    expect(await removeWorktree(git, order())).toEqual({ type: 'already' });
    expect(userState(root)).toBe(before);
  });

  test('is refused for anything that is not exactly the one on record with our mark', async () => {
    const { git, order, root, folder } = playground();
    const { path } = await addWorktree(git, order());
    const refusal = { type: 'refused', why: expect.any(String) as string };
    expect(await removeWorktree(git, order('build', { token: 'token-2' }))).toEqual(refusal);
    expect(await removeWorktree(git, order('build', { path: root }))).toEqual(refusal);
    expect(await removeWorktree(git, order('build', { path: join(path, 'src') }))).toEqual(refusal);
    shell(root, 'worktree', 'add', '--quiet', '-b', 'mine', join(folder, 'mine'));
    expect(await removeWorktree(git, order('build', { path: join(folder, 'mine') }))).toEqual(refusal);
    shell(root, 'worktree', 'lock', path);
    expect(await removeWorktree(git, order())).toEqual(refusal);
    shell(root, 'worktree', 'unlock', path);
    renameSync(path, `${path}-moved`);
    write(path, { 'other.txt': 'x' });
    expect(await removeWorktree(git, order())).toEqual(refusal);
    for (const still of [root, join(folder, 'mine'), `${path}-moved`, join(path, 'other.txt')]) {
      expect([still, existsSync(still)]).toEqual([still, true]);
    }
  });

  test('whose folder is gone already takes the record', async () => {
    const { git, order, repository } = playground();
    const { path } = await addWorktree(git, order());
    rmSync(path, { recursive: true });
    expect(await removeWorktree(git, order())).toEqual({ type: 'removed' });
    expect(await findWorktree(git, repository, path)).toBeUndefined();
  });

  test('works although something in it is read-only', async () => {
    const { git, order } = playground();
    const { path } = await addWorktree(git, order());
    write(path, { 'dist/cache/deep/file': 'x' });
    chmodSync(join(path, 'dist/cache/deep'), 0o555);
    chmodSync(join(path, 'dist/cache'), 0o555);
    expect(await removeWorktree(git, order())).toEqual({ type: 'removed' });
    expect(existsSync(path)).toBe(false);
  });
});
