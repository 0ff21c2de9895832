import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Run } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { gitBehind } from '../support/git-playground.ts';
import { checkoutOf, edit, git, openRepository } from '../support/repository-place.ts';
import { openPlace, played } from '../support/scripted-place.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const held = (run: Run): Promise<void> =>
  eventually('it is held', async () => (await run.status()) === 'held');

/** Why something was refused. */
const refusal = (asking: Promise<unknown>): Promise<{ code: string; message: string }> =>
  asking.then(
    () => ({ code: 'none', message: 'it was not refused' }),
    ({ code, message }: Error & { code: string }) => ({ code, message }),
  );

const writing = (file: string, more: object = {}): object =>
  played([[edit(file, 'made'), { answer: 'done' }]], { ...more });

const filesOf = (repository: string, branch = 'piton/run'): string[] =>
  git(repository, 'ls-tree', '-r', '--name-only', branch).split('\n');

describe('where there can be no worktrees', () => {
  const folders = {
    'no repository': () => undefined,
    'an empty repository': (folder: string) => git(folder, 'init', '-q'),
    'a bare repository': (folder: string) => git(folder, 'init', '-q', '--bare'),
  };
  test.each(Object.entries(folders))(
    'in %s: agents write in the folder, and what wants a worktree is not begun',
    async (_, make) => {
      const folder = temporaryFolder();
      make(folder);
      const { run, piton } = await openPlace({}, folder);
      const started = await run({ build: writing('made.txt') });
      expect((await started.result()).status).toBe('succeeded');
      expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('made');
      const wanting = run({ build: writing('x') }, { id: 'other', workspace: 'worktree' });
      const message = expect.stringMatching(`${folder} .*git init`);
      expect(await refusal(wanting)).toMatchObject({ code: 'GIT_MISSING', message });
      await expect(piton.find('other')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    },
  );
});

describe('git itself', () => {
  test('that is too old is told before anything is begun', async () => {
    const old = gitBehind(
      'case "$*" in *" version") echo git version 2.20.1;; *" -z") exit 129;; *) exec "$GIT" "$@";; esac',
    );
    const { run, repository } = await openRepository({ environment: { ...process.env, PATH: old['PATH'] } });
    expect(await refusal(run({ build: writing('x') }))).toMatchObject({
      code: 'GIT_TOO_OLD',
      message: expect.stringMatching(/2\.38.*2\.20\.1.*Install git 2\.38/),
    });
    expect(git(repository, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  });

  test('that is not there is missed only where there is a repository', async () => {
    const programs = temporaryFolder();
    for (const name of ['sh', 'env', 'sleep', 'setsid']) {
      const found = execFileSync('sh', ['-c', `command -v ${name} || true`], { encoding: 'utf8' }).trim();
      if (found !== '') symlinkSync(found, join(programs, name));
    }
    const environment = { ...process.env, PATH: `${programs}:${dirname(process.execPath)}` };
    const { run } = await openRepository({ environment });
    expect(await refusal(run({ build: writing('x') }))).toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('Install git, or put it on the PATH'),
    });
    const plain = await openPlace({ environment });
    const started = await plain.run({ build: writing('made.txt') });
    expect((await started.result()).status).toBe('succeeded');
    expect(existsSync(join(plain.folder, 'made.txt'))).toBe(true);
  });

  test('that will not open the repository of another user says how to allow it', async () => {
    const other = gitBehind('export GIT_TEST_ASSUME_DIFFERENT_OWNER=1; exec "$GIT" "$@"');
    const { run } = await openRepository({ environment: { ...process.env, ...other } });
    expect(await refusal(run({ build: writing('x') }))).toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('allow it with `git config --global --add safe.directory`'),
    });
  });
});

describe('a branch that is there already', () => {
  test('of the name of the run, and not of this run, is left alone: the run is not begun', async () => {
    const { run, piton, repository } = await openRepository();
    const refs = (): string => git(repository, 'for-each-ref');
    for (const branch of ['piton/run', 'piton-tasks/run/build']) {
      git(repository, 'branch', branch);
      const before = refs();
      expect(await refusal(run({ build: writing('x') }))).toMatchObject({
        code: 'BRANCH_TAKEN',
        message: expect.stringMatching(`${branch} is there already.*another id.*git branch --move ${branch}`),
      });
      await expect(piton.find('run')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
      expect(refs()).toBe(before);
      git(repository, 'branch', '-D', branch);
    }
    const started = await run({ build: writing('x') });
    expect((await started.result()).status).toBe('succeeded');
  });

  test.each(['piton', 'piton-tasks'])(
    'and is called %s keeps git from making ours, and is named',
    async (name) => {
      const { run, repository } = await openRepository();
      git(repository, 'branch', name);
      expect(await refusal(run({ build: writing('x') }))).toMatchObject({
        code: 'BRANCH_TAKEN',
        message: expect.stringContaining(`git branch --move ${name}`),
      });
      git(repository, 'branch', '-m', name, 'mine');
      expect((await (await run({ build: writing('x') })).result()).status).toBe('succeeded');
    },
  );

  test('of a run of that name in another store is not gone on with', async () => {
    const { run, repository, root } = await openRepository();
    expect((await (await run({ build: writing('one.txt') })).result()).status).toBe('succeeded');
    const other = await openPlace({ store: `sqlite:${join(root, 'other', 'piton.db')}` }, repository);
    expect(await refusal(other.run({ build: writing('two.txt') }))).toMatchObject({ code: 'BRANCH_TAKEN' });
    const started = await other.run({ build: writing('two.txt') }, { id: 'second' });
    expect((await started.result()).status).toBe('succeeded');
    expect(filesOf(repository, 'piton/second')).toEqual(['a.txt', 'two.txt']);
    expect(filesOf(repository)).toEqual(['a.txt', 'one.txt']);
  });
});

test('hooks that fail, programs that ask, signatures without a key: none of it is ever started', async () => {
  const folder = temporaryFolder();
  const evidence = join(folder, 'started');
  const trap = join(folder, 'trap');
  writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> ${evidence}\nexec sleep 60\n`, { mode: 0o755 });
  const asking = {
    GIT_EDITOR: trap,
    EDITOR: trap,
    VISUAL: trap,
    GIT_ASKPASS: trap,
    GIT_PAGER: trap,
    PAGER: trap,
  };
  const { run, repository } = await openRepository({ environment: { ...process.env, ...asking } });
  const hooks = join(folder, 'hooks');
  const names = [
    'pre-commit',
    'commit-msg',
    'post-checkout',
    'post-merge',
    'post-commit',
    'reference-transaction',
    'pre-merge-commit',
    'post-index-change',
    'post-rewrite',
    'fsmonitor',
  ];
  for (const where of [hooks, join(repository, '.git/hooks')]) {
    mkdirSync(where, { recursive: true });
    for (const name of names) symlinkSync(trap, join(where, name));
  }
  const settings = {
    'core.hooksPath': hooks,
    'core.editor': trap,
    'core.pager': trap,
    'core.fsmonitor': trap,
    'core.askPass': trap,
    'diff.external': trap,
    'commit.gpgsign': 'true',
    'gpg.program': trap,
    'merge.ff': 'only',
    'user.useConfigOnly': 'true',
  };
  for (const [name, value] of Object.entries(settings)) git(repository, 'config', name, value);
  const started = await run({
    one: writing('one.txt', { check: 'test -e one.txt' }),
    two: writing('two.txt', { check: 'test -e two.txt' }),
    both: writing('both.txt', { needs: ['one', 'two'] }),
  });
  expect((await started.result()).status).toBe('succeeded');
  expect(filesOf(repository)).toEqual(['a.txt', 'both.txt', 'one.txt', 'two.txt']);
  expect(existsSync(evidence) ? readFileSync(evidence, 'utf8') : '').toBe('');
});

describe('the branch of the run', () => {
  test('that an agent deletes, with all others of Piton and all garbage, is there again with all work in it', async () => {
    const { run, repository } = await openRepository();
    const destroy = [
      'git checkout -q --detach',
      'git for-each-ref --format="delete %(refname)" refs/heads/piton refs/heads/piton-tasks | git update-ref --stdin',
      'git reflog expire --expire=now --all',
      'git gc -q --prune=now',
    ].join(' && ');
    const started = await run({
      first: writing('first.txt'),
      second: played([[{ run: destroy }, edit('second.txt', 'made'), { answer: 'done' }]], {
        needs: 'first',
      }),
      third: writing('third.txt', { needs: 'second' }),
    });
    const before = checkoutOf(repository);
    expect((await started.result()).status).toBe('succeeded');
    expect(filesOf(repository)).toEqual(['a.txt', 'first.txt', 'second.txt', 'third.txt']);
    expect(checkoutOf(repository)).toBe(before);
    expect(git(repository, 'fsck', '--no-dangling', '--no-progress')).toBe('');
  });

  test('that an agent moves back holds its task, and says how to put it right', async () => {
    const { run, repository } = await openRepository();
    const back = 'git branch -f piton/run main';
    const started = await run({
      first: writing('first.txt'),
      second: played([[{ run: back }, edit('second.txt', 'made'), { answer: 'done' }]], { needs: 'first' }),
      third: writing('third.txt', { needs: 'second' }),
    });
    await held(started);
    const { reason } = (await started.checkpoint()).tasks['second']!;
    const [, command = ''] = /(git branch --force \S+ \w+)/.exec(reason!) ?? [];
    expect(reason).toContain('does not hold what tasks have made');
    git(repository, ...command.split(' ').slice(1));
    await started.retry('second');
    expect((await started.result()).status).toBe('succeeded');
    expect(filesOf(repository)).toEqual(['a.txt', 'first.txt', 'second.txt', 'third.txt']);
  });
});

test('a place inside of the repository never leads git to the checkout of the user, even without a `.git` of its own', async () => {
  const { repository } = await openRepository();
  writeFileSync(join(repository, '.git/info/exclude'), '.piton/\n');
  const { run } = await openPlace({ store: `sqlite:${join(repository, '.piton/piton.db')}` }, repository);
  const commitAnyway = {
    run: 'rm -f .git; git -c user.name=A -c user.email=a@b commit --allow-empty -qm mine || true',
  };
  const committing = (more: Record<string, unknown>): object =>
    played([[commitAnyway, { answer: 'done' }]], more);
  const started = await run({
    folder: committing({ workspace: 'directory' }),
    worktree: committing({ needs: 'folder' }),
  });
  const before = checkoutOf(repository);
  await held(started);
  const { tasks } = await started.checkpoint();
  expect(tasks['worktree']!.reason).toContain('is not the worktree any more');
  expect(checkoutOf(repository)).toBe(before);
});

test('started by a hook of git, with the variables that git has for it, agents still commit in their own places', async () => {
  const { repository } = await openRepository();
  const ofHook = {
    GIT_DIR: join(repository, '.git'),
    GIT_WORK_TREE: repository,
    GIT_INDEX_FILE: join(repository, '.git/index'),
    GIT_PREFIX: '',
  };
  const store = `sqlite:${join(dirname(repository), 'hooked.db')}`;
  const { run } = await openPlace({ store, environment: { ...process.env, ...ofHook } }, repository);
  const committing = 'git add -A && git -c user.name=A -c user.email=a@b commit -qm mine';
  const started = await run({
    build: played([[edit('made.txt', 'made'), { run: committing }, { answer: 'done' }]]),
  });
  const before = checkoutOf(repository);
  expect((await started.result()).status).toBe('succeeded');
  expect(filesOf(repository)).toEqual(['a.txt', 'made.txt']);
  expect(checkoutOf(repository)).toBe(before);
});

test('a repository that was moved holds its tasks; brought back, they go on with all that was in their places', async () => {
  const { repository, root } = await openRepository();
  const store = `sqlite:${join(repository, '.piton/piton.db')}`;
  const { run, piton } = await openPlace({ store }, repository);
  const begun = join(root, 'begun');
  const first = [edit('half.txt', 'half'), { run: `touch ${begun}` }, { hang: true }];
  await run({ build: played([first, [{ run: 'cat half.txt' }, { answer: 'done' }]]) });
  await eventually('it has begun', () => existsSync(begun));
  await piton.close();

  const moved = join(root, 'moved');
  renameSync(repository, moved);
  const there = await openPlace({ store: `sqlite:${join(moved, '.piton/piton.db')}` }, moved);
  const { definition } = await there.piton.definitionOf('run');
  const lost = await there.piton.resume(definition, 'run');
  await held(lost);
  expect((await lost.checkpoint()).tasks['build']!.reason).toMatch(/no such folder.*bring it back/);
  await there.piton.close();

  renameSync(moved, repository);
  const here = await openPlace({ store }, repository);
  const again = await here.piton.resume(definition, 'run');
  await again.retry('build');
  expect((await again.result()).status).toBe('succeeded');
  expect(filesOf(repository)).toEqual(['a.txt', 'half.txt']);
});

describe('a disk that takes no more', () => {
  /** A git that cannot write a file of more than a few kilobytes as long as `full` is there. */
  function fullDisk(): { full: string; environment: Record<string, string | undefined> } {
    const full = join(temporaryFolder(), 'full');
    const script = `if [ -e ${full} ]; then trap '' XFSZ; ulimit -f 8; fi; exec "$GIT" "$@"`;
    return { full, environment: { ...process.env, PATH: gitBehind(script)['PATH'] } };
  }

  const noise = randomBytes(60_000).toString('hex');

  test('when a place is to be made holds the task; with room, it goes on', async () => {
    const { full, environment } = fullDisk();
    const { run, repository } = await openRepository({ environment });
    writeFileSync(join(repository, 'large.txt'), noise);
    git(repository, 'add', '.');
    git(repository, 'commit', '-qm', 'large');
    writeFileSync(full, '');
    const started = await run({ build: writing('made.txt') });
    const before = checkoutOf(repository);
    await held(started);
    expect((await started.checkpoint()).tasks['build']!.reason).toContain('large.txt');
    rmSync(full);
    await started.retry('build');
    expect((await started.result()).status).toBe('succeeded');
    expect(filesOf(repository)).toEqual(['a.txt', 'large.txt', 'made.txt']);
    expect(checkoutOf(repository)).toBe(before);
  });

  test('when work is to be brought in holds the task, which is not done again; with room, it is brought in', async () => {
    const { full, environment } = fullDisk();
    const { run, repository, root } = await openRepository({ environment });
    const work = `echo x >> ${join(root, 'count')}; touch ${full}`;
    const started = await run({
      build: played([[edit('large.txt', noise), { run: work }, { answer: 'done' }]]),
    });
    await held(started);
    expect(filesOf(repository)).toEqual(['a.txt']);
    rmSync(full);
    await started.retry('build');
    expect((await started.result()).status).toBe('succeeded');
    expect(filesOf(repository)).toEqual(['a.txt', 'large.txt']);
    expect(readFileSync(join(root, 'count'), 'utf8')).toBe('x\n');
    expect(git(repository, 'fsck', '--no-dangling', '--no-progress')).toBe('');
  });
});
