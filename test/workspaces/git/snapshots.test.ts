import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  addWorktree,
  readRef,
  saveTree,
  snapshotRef,
  snapshotTree,
  type AddedWorktree,
  type Snapshot,
  type SnapshotOrder,
} from '../../../src/workspaces/git/index.ts';
import { at, plainEnvironment, trailers } from '../../support/git-orders.ts';
import {
  commit,
  fingerprint,
  firstFiles,
  fsck,
  gitBehind,
  playground,
  shell,
  testGit,
  treeOf,
  write,
  type Playground,
} from '../../support/git-playground.ts';

interface Scene extends Playground {
  readonly worktree: AddedWorktree;
  snapshot(more?: Partial<SnapshotOrder>): Promise<Snapshot>;
}

async function scene(base?: (root: string) => string): Promise<Scene> {
  const ground = playground();
  const start = base?.(ground.root) ?? ground.base;
  const worktree = await addWorktree(ground.git, ground.order('build', { base: start }));
  const order = { worktree, message: 'A snapshot', trailers, at };
  return { ...ground, worktree, snapshot: (more = {}) => snapshotTree(ground.git, { ...order, ...more }) };
}

function filesIn(ground: Scene, { commit: made }: Snapshot): Record<string, string> {
  return treeOf(ground.root, made);
}

const trimmed = Object.fromEntries(Object.entries(firstFiles).map(([name, text]) => [name, text.trimEnd()]));

describe('a snapshot', () => {
  test('holds the work even where a replacement makes the commit that it began from look the same', async () => {
    const ground = await scene();
    const { path } = ground.worktree;
    write(path, { 'README.md': 'hours of work' });
    shell(path, 'add', 'README.md');
    const alike = shell(path, 'commit-tree', shell(path, 'write-tree').trim(), '-m', 'alike').trim();
    shell(path, 'reset', '--quiet');
    shell(path, 'replace', ground.base, alike);
    const order = {
      worktree: ground.worktree,
      label: 'saved',
      trailers,
      at,
      ref: 'refs/piton/run/build/saved',
    };
    const { commit: made } = await saveTree(testGit(), order);
    shell(path, 'replace', '--delete', ground.base);
    expect(treeOf(ground.root, made)).toMatchObject({ 'README.md': 'hours of work' });
  });

  test('holds changed, new and deleted files, and changes neither HEAD nor index nor files', async () => {
    const ground = await scene();
    const { path, gitDir } = ground.worktree;
    write(path, { 'README.md': 'changed', 'new/ü file.txt': 'new', 'ignored.log': 'x', 'dist/out': 'x' });
    rmSync(join(path, 'src/b.txt'));
    shell(path, 'add', 'README.md');
    const before = [
      fingerprint(path),
      readFileSync(join(gitDir, 'index')),
      readFileSync(join(gitDir, 'HEAD')),
    ];
    const made = await ground.snapshot();
    const { 'src/b.txt': _, ...rest } = trimmed;
    expect(filesIn(ground, made)).toEqual({ ...rest, 'README.md': 'changed', 'new/ü file.txt': 'new' });
    expect(made).toMatchObject({ isNew: true, head: ground.base, leftOut: [] });
    expect([
      fingerprint(path),
      readFileSync(join(gitDir, 'index')),
      readFileSync(join(gitDir, 'HEAD')),
    ]).toEqual(before);
    expect(shell(path, 'log', '-1', '--format=%P', made.commit)).toBe(ground.base);
    expect(fsck(ground.root)).toBe('');
  });

  test('names its run, task, attempt and seq, and is made by Piton if the user has no name', async () => {
    const ground = await scene();
    write(ground.worktree.path, { 'a.txt': 'x' });
    const { commit: made } = await ground.snapshot({
      trailers: { ...trailers, task: 'build[ü\nPiton-Run: forged]' },
    });
    expect(shell(ground.root, 'log', '-1', '--format=%an <%ae>%n%(trailers)', made)).toBe(
      'Piton <piton@localhost>\nPiton-Run: run-1\nPiton-Task: build[ü Piton-Run: forged]\nPiton-Attempt: a1\nPiton-Seq: 7',
    );
    shell(ground.root, 'config', 'user.name', 'Bob');
    shell(ground.root, 'config', 'user.email', 'bob@example.org');
    const { commit: second } = await ground.snapshot();
    expect(shell(ground.root, 'log', '-1', '--format=%an', second)).toBe('Bob');
  });

  test('made again is the same commit, and its ref stands', async () => {
    const ground = await scene();
    write(ground.worktree.path, { 'a.txt': 'x' });
    const ref = snapshotRef({ run: 'run-1', task: 'build', attempt: 'a1', number: 1 });
    const first = await ground.snapshot({ ref });
    expect(await ground.snapshot({ ref })).toEqual(first);
    expect(await readRef(ground.git, ground.repository, ref)).toBe(first.commit);
  });

  test('of an unchanged tree is HEAD, or the snapshot before', async () => {
    const ground = await scene();
    expect(await ground.snapshot()).toMatchObject({ commit: ground.base, isNew: false });
    write(ground.worktree.path, { 'a.txt': 'x' });
    const first = await ground.snapshot();
    const again = await ground.snapshot({ previous: first.commit, at: at + 60_000 });
    expect(again).toMatchObject({ commit: first.commit, isNew: false });
    write(ground.worktree.path, { 'a.txt': 'y' });
    expect(await ground.snapshot({ previous: first.commit })).toMatchObject({ isNew: true });
  });

  test('keeps files that are tracked and ignored at once', async () => {
    const ground = await scene((root) => commit(root, { 'kept.log': 'tracked', 'dist/kept': 'tracked' }));
    write(ground.worktree.path, { 'other.log': 'not tracked' });
    const files = filesIn(ground, await ground.snapshot());
    expect(files).toEqual({ ...trimmed, 'kept.log': 'tracked', 'dist/kept': 'tracked' });
  });

  test('with ignored files leaves out only the caches', async () => {
    const ground = await scene();
    write(ground.worktree.path, {
      'a.log': 'log',
      'dist/out': 'out',
      'node_modules/x/y': 'x',
      'src/node_modules/z': 'z',
    });
    const made = await ground.snapshot({ includeIgnored: true, caches: ['node_modules'] });
    expect(filesIn(ground, made)).toEqual({ ...trimmed, 'a.log': 'log', 'dist/out': 'out' });
  });

  test('sees what was changed in the very moment in which git wrote its index', async () => {
    const ground = await scene();
    const { path, gitDir } = ground.worktree;
    const file = join(path, 'src/b.txt');
    // Same size, same time as the index: only by its own time does the index tell git to look into the file.
    shell(path, 'config', 'core.trustctime', 'false');
    utimesSync(file, 1_700_000_000, 1_700_000_000);
    shell(path, 'update-index', '--refresh');
    writeFileSync(file, 'c\n');
    utimesSync(file, 1_700_000_000, 1_700_000_000);
    utimesSync(join(gitDir, 'index'), 1_700_000_000, 1_700_000_000);
    expect(filesIn(ground, await ground.snapshot())['src/b.txt']).toBe('c');
  });

  test('sees what was changed under a mark that tells git to look away', async () => {
    const ground = await scene();
    shell(ground.worktree.path, 'update-index', '--assume-unchanged', 'README.md');
    shell(ground.worktree.path, 'update-index', '--skip-worktree', 'src/b.txt');
    write(ground.worktree.path, { 'README.md': 'hidden', 'src/b.txt': 'hidden too' });
    const files = filesIn(ground, await ground.snapshot());
    expect(files).toMatchObject({ 'README.md': 'hidden', 'src/b.txt': 'hidden too' });
  });

  test('of a sparse checkout keeps what is not checked out', async () => {
    const ground = playground();
    shell(ground.root, 'sparse-checkout', 'set', '--no-cone', '/README.md', '/.gitignore');
    const worktree = await addWorktree(ground.git, ground.order());
    write(worktree.path, { 'README.md': 'changed' });
    const made = await snapshotTree(ground.git, { worktree, message: 'm', trailers, at });
    expect(treeOf(ground.root, made.commit)).toEqual({ ...trimmed, 'README.md': 'changed' });
    rmSync(join(worktree.gitDir, 'index'));
    const blind = snapshotTree(ground.git, { worktree, message: 'm', trailers, at });
    await expect(blind).rejects.toMatchObject({ code: 'SNAPSHOT_REFUSED' });
  });

  test.for(['deleted', 'torn'])('needs no index: it may be %s', async (how) => {
    const ground = await scene();
    const index = join(ground.worktree.gitDir, 'index');
    if (how === 'deleted') rmSync(index);
    else truncateSync(index, 20);
    write(ground.worktree.path, { 'README.md': 'changed' });
    expect(filesIn(ground, await ground.snapshot())).toEqual({ ...trimmed, 'README.md': 'changed' });
  });

  test('is not disturbed by a lock on the index that a killed git has left', async () => {
    const ground = await scene();
    writeFileSync(join(ground.worktree.gitDir, 'index.lock'), '');
    write(ground.worktree.path, { 'a.txt': 'x' });
    expect(filesIn(ground, await ground.snapshot())).toEqual({ ...trimmed, 'a.txt': 'x' });
  });

  test('in the middle of a conflict holds the files as they are', async () => {
    const ground = await scene();
    const { path } = ground.worktree;
    commit(path, { 'src/a.txt': 'ours\n' });
    shell(path, 'checkout', '--quiet', '-b', 'other', ground.base);
    commit(path, { 'src/a.txt': 'theirs\n' });
    expect(() => shell(path, 'merge', '--quiet', '-')).toThrow('Command failed');
    expect(filesIn(ground, await ground.snapshot())['src/a.txt']).toContain('<<<<<<<');
    expect(existsSync(join(ground.worktree.gitDir, 'MERGE_HEAD'))).toBe(true);
  });

  test('without any commit at HEAD has no parent', async () => {
    const ground = await scene();
    shell(ground.worktree.path, 'checkout', '--quiet', '--orphan', 'fresh');
    const made = await ground.snapshot();
    expect(made).toMatchObject({ head: undefined, isNew: true });
    expect(filesIn(ground, made)).toEqual(trimmed);
  });
});

describe('a snapshot that follows another', () => {
  test('costs one git if nothing has changed, and sees what has', async () => {
    const ground = await scene();
    const { path } = ground.worktree;
    const counter = join(ground.folder, 'counter');
    writeFileSync(counter, '');
    const git = testGit({ environment: gitBehind(`echo "$*" >> ${counter}; exec "$GIT" "$@"`) });
    const order = { worktree: ground.worktree, message: 'A snapshot', trailers, at };
    write(path, { 'new.txt': 'new', 'src/a.txt': 'changed' });
    const first = await snapshotTree(git, order);
    writeFileSync(counter, '');
    const second = await snapshotTree(git, { ...order, previous: first.commit });
    expect(second).toMatchObject({ commit: first.commit, tree: first.tree });
    expect(readFileSync(counter, 'utf8').trimEnd().split('\n')).toEqual([
      expect.stringContaining(' ls-files '),
    ]);
    write(path, { 'new.txt': 'old' });
    rmSync(join(path, 'src/a.txt'));
    const { commit: third } = await snapshotTree(git, order);
    expect(treeOf(ground.root, third)).toMatchObject({ 'new.txt': 'old' });
    expect(treeOf(ground.root, third)).not.toHaveProperty('src/a.txt');
  });

  test('sees a change of the same size in the same moment', async () => {
    const ground = await scene();
    shell(ground.worktree.path, 'config', 'core.trustctime', 'false');
    const file = join(ground.worktree.path, 'src/b.txt');
    for (const text of ['1', '2', '3', '4']) {
      writeFileSync(file, text);
      expect(filesIn(ground, await ground.snapshot())['src/b.txt']).toBe(text);
    }
  });

  test('leaves out what is ignored since, and sees what was hidden since', async () => {
    const ground = await scene();
    const { path, commonDir } = ground.worktree;
    write(path, { 'a.tmp': 'a', 'b.tmp': 'b' });
    expect(filesIn(ground, await ground.snapshot())).toMatchObject({ 'a.tmp': 'a', 'b.tmp': 'b' });
    write(path, { '.gitignore': `${firstFiles['.gitignore']}a.tmp\n` });
    expect(filesIn(ground, await ground.snapshot())).not.toHaveProperty('a.tmp');
    writeFileSync(join(commonDir, 'info/exclude'), 'b.tmp\n');
    expect(filesIn(ground, await ground.snapshot())).not.toHaveProperty('b.tmp');
    shell(path, 'update-index', '--assume-unchanged', 'README.md');
    write(path, { 'README.md': 'hidden' });
    expect(filesIn(ground, await ground.snapshot())).toMatchObject({ 'README.md': 'hidden' });
  });

  test('sees a file where there was to be none, and what git was told to take for unchanged', async () => {
    const ground = await scene((root) => {
      shell(root, 'config', 'core.ignoreStat', 'true');
      return shell(root, 'rev-parse', 'HEAD');
    });
    const { path } = ground.worktree;
    write(path, { 'README.md': 'changed' });
    expect(filesIn(ground, await ground.snapshot())).toMatchObject({ 'README.md': 'changed' });
    shell(path, 'update-index', '--skip-worktree', 'src/b.txt');
    rmSync(join(path, 'src/b.txt'));
    expect(filesIn(ground, await ground.snapshot())).toMatchObject({ 'src/b.txt': 'b' });
    write(path, { 'src/b.txt': 'there again' });
    expect(filesIn(ground, await ground.snapshot())).toMatchObject({ 'src/b.txt': 'there again' });
  });
});

describe('what a snapshot does with files of other kinds', () => {
  test('nested repositories are left out and named, with or without commits, wherever they are', async () => {
    const ground = await scene();
    const { path } = ground.worktree;
    for (const name of ['empty', 'deep/er/full', 'ü space']) {
      mkdirSync(join(path, name), { recursive: true });
      shell(join(path, name), 'init', '--quiet');
    }
    commit(join(path, 'deep/er/full'), { x: 'x' });
    write(path, { 'empty/x': 'x', 'deep/beside': 'beside' });
    const made = await ground.snapshot();
    expect(filesIn(ground, made)).toEqual({ ...trimmed, 'deep/beside': 'beside' });
    expect([...made.leftOut].map((one) => `${one.why} ${one.path}`).sort()).toEqual(
      ['deep/er/full', 'empty', 'ü space'].map((one) => `nested-repository ${one}`),
    );
  });

  test('files over the limit keep the content that HEAD has, and are named', async () => {
    const ground = await scene();
    write(ground.worktree.path, { 'big.bin': 'x'.repeat(2000), 'README.md': 'y'.repeat(2000), small: 'z' });
    const made = await ground.snapshot({ maxFileBytes: 1000 });
    expect(filesIn(ground, made)).toEqual({ ...trimmed, small: 'z' });
    expect([...made.leftOut].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: 'README.md', why: 'too-large' },
      { path: 'big.bin', why: 'too-large' },
    ]);
  });

  test('links are links, modes are kept, and pipes are passed over', async () => {
    const ground = await scene();
    const { path } = ground.worktree;
    symlinkSync('/nowhere', join(path, 'dangling'));
    symlinkSync('src', join(path, 'folder-link'));
    chmodSync(join(path, 'README.md'), 0o755);
    execFileSync('mkfifo', [join(path, 'new-pipe')]);
    rmSync(join(path, 'src/b.txt'));
    execFileSync('mkfifo', [join(path, 'src/b.txt')]);
    const made = await ground.snapshot();
    const listing = shell(ground.root, 'ls-tree', '-r', '--format=%(objectmode) %(path)', made.commit);
    expect(listing.split('\n')).toEqual([
      '100644 .gitignore',
      '100755 README.md',
      '120000 dangling',
      '120000 folder-link',
      '100644 src/a.txt',
      '100644 src/b.txt',
    ]);
    expect(made.leftOut).toEqual([{ path: 'src/b.txt', why: 'special-file' }]);
  });

  test('a file that became a folder, and a folder that became a file', async () => {
    const ground = await scene();
    const { path } = ground.worktree;
    rmSync(join(path, 'README.md'));
    rmSync(join(path, 'src'), { recursive: true });
    write(path, { 'README.md/inside': 'x', src: 'a file now' });
    const files = filesIn(ground, await ground.snapshot());
    expect(files).toEqual({
      '.gitignore': trimmed['.gitignore'],
      'README.md/inside': 'x',
      src: 'a file now',
    });
  });

  test('names that are no text are kept byte by byte', async () => {
    const ground = await scene();
    const name = Buffer.concat([
      Buffer.from(`${ground.worktree.path}/`),
      Buffer.from([0x66, 0xff, 0xfe, 0x0a]),
    ]);
    writeFileSync(name, 'odd');
    const made = await ground.snapshot();
    const names = execFileSync('git', ['ls-tree', '-z', '--name-only', made.commit], { cwd: ground.root });
    expect(names.includes(Buffer.from([0x66, 0xff, 0xfe, 0x0a, 0]))).toBe(true);
  });

  test('line endings that git would complain about are taken', async () => {
    const ground = await scene();
    shell(ground.root, 'config', 'core.safecrlf', 'true');
    shell(ground.root, 'config', 'core.autocrlf', 'input');
    write(ground.worktree.path, { 'windows.txt': 'a\r\nb\r\n' });
    expect(filesIn(ground, await ground.snapshot())['windows.txt']).toBe('a\nb');
  });

  test('a submodule is recorded at the commit it is at', async () => {
    const library = playground('library');
    const ground = await scene((root) => {
      shell(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'lib');
      return commit(root, {}, 'with a submodule');
    });
    const { path } = ground.worktree;
    expect(await ground.snapshot()).toMatchObject({ isNew: false });
    shell(path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
    expect(await ground.snapshot()).toMatchObject({ isNew: false });
    const inner = commit(join(path, 'lib'), { 'x.txt': 'x' });
    const made = await ground.snapshot();
    expect(shell(ground.root, 'rev-parse', `${made.commit}:lib`)).toBe(inner);
  });

  test('what cannot be read is left out and named', async () => {
    const ground = await scene();
    const { path } = ground.worktree;
    write(path, { 'secret.txt': 'x', 'locked/inside': 'x', 'open.txt': 'open' });
    chmodSync(join(path, 'locked'), 0);
    const program = `
      import { snapshotTree, Git } from '${new URL('../../../src/workspaces/git/index.ts', import.meta.url).href}';
      const order = JSON.parse(process.argv[1]);
      const git = new Git({ environment: process.env, durability: 'process' });
      process.stdout.write(JSON.stringify(await snapshotTree(git, order)));`;
    chmodSync(join(path, 'secret.txt'), 0);
    const order = { worktree: ground.worktree, message: 'm', trailers, at };
    // Root may read everything, unless it gives up that right.
    const humble =
      process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : ['env'];
    const words = [...humble, process.execPath, '--input-type=module', '-e', program, JSON.stringify(order)];
    const printed = execFileSync(words[0]!, words.slice(1), { env: plainEnvironment(), encoding: 'utf8' });
    chmodSync(join(path, 'locked'), 0o755);
    const made = JSON.parse(printed) as Snapshot;
    expect(filesIn(ground, made)).toEqual({ ...trimmed, 'open.txt': 'open' });
    expect(made.leftOut).toEqual([
      { path: 'locked', why: 'unreadable' },
      { path: 'secret.txt', why: 'unreadable' },
    ]);
  });

  test('a file that is changed in the same second, after it was read and before the snapshot is done, is seen later', async () => {
    const ground = await scene();
    const { path } = ground.worktree;
    // What is read last takes until the next second; meanwhile what was read first is written again.
    const slow = `[ -e ${ground.folder}/was ] || { : > ${ground.folder}/was; printf two > a.txt; sleep 1.1; }; cat`;
    shell(path, 'config', 'filter.slow.clean', slow);
    await ground.git.recordConfig(ground.repository, { isFirst: false });
    write(path, { '.gitattributes': 'z.txt filter=slow\n', 'z.txt': 'z' });
    while (Date.now() % 1000 > 300) await pause(10);
    write(path, { 'a.txt': 'one' });
    await ground.snapshot();
    expect(filesIn(ground, await ground.snapshot())).toMatchObject({ 'a.txt': 'two' });
  });

  test('a change is seen whose times were set back, whatever the repository trusts', async () => {
    const ground = await scene();
    const { path } = ground.worktree;
    shell(path, 'config', 'core.trustctime', 'false');
    shell(path, 'config', 'core.checkStat', 'minimal');
    const file = join(path, 'a.txt');
    const writeBack = (content: string): void => {
      writeFileSync(file, content);
      utimesSync(file, 1_700_000_000, 1_700_000_000);
    };
    writeBack('one');
    await ground.snapshot();
    const secondOfChange = (): number => Math.floor(statSync(file).ctimeMs / 1000);
    const before = secondOfChange();
    // The clock of the file system is a little behind.
    do {
      await pause(10);
      writeBack('two');
    } while (secondOfChange() === before);
    expect(filesIn(ground, await ground.snapshot())).toMatchObject({ 'a.txt': 'two' });
  });

  test('what changes under our hands is looked at again', async () => {
    const ground = await scene();
    const { path } = ground.worktree;
    write(path, { flip: 'a file' });
    // The first time git is to add files, the file has just become a folder.
    const script = `case " $* " in *" --add "*) if [ -f flip ]; then rm flip; mkdir flip; echo x > flip/inside; fi;; esac; exec "$GIT" "$@"`;
    const git = testGit({ environment: gitBehind(script) });
    const made = await snapshotTree(git, { worktree: ground.worktree, message: 'm', trailers, at });
    expect(filesIn(ground, made)).toEqual({ ...trimmed, 'flip/inside': 'x' });
  });
});
