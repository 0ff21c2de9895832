import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { faultGround, worktreesOf } from '../support/fault-ground.ts';
import {
  commit,
  fingerprint,
  firstFiles,
  fsck,
  playground,
  shell,
  userState,
  write,
} from '../support/git-playground.ts';
import { plainEnvironment } from '../support/git-orders.ts';
import { openLocal } from '../support/local-places.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const integrated = { integration: { type: 'integrated' } };
const addFile = (folder: string): void => write(folder, { 'new.txt': 'new\n' });

describe('a task is done as anywhere else', () => {
  test('on a detached HEAD, which stays where it is', async () => {
    const { root, base } = playground();
    commit(root, { 'later.txt': 'later' });
    shell(root, 'checkout', '--quiet', '--detach', base);
    const before = userState(root);
    const ground = await faultGround(root);
    expect(await ground.live('build', addFile)).toMatchObject(integrated);
    expect(Object.keys(ground.made()).sort()).toEqual([...Object.keys(firstFiles), 'new.txt'].sort());
    expect(userState(root)).toBe(before);
  });

  test('beside a checkout with changes of all kinds, none of which it sees', async () => {
    const { root } = playground();
    write(root, { 'src/a.txt': 'changed', 'staged.txt': 'staged', 'dist/x': 'ignored' });
    shell(root, 'add', 'staged.txt');
    write(root, { 'staged.txt': 'and changed', 'untracked.txt': 'untracked' });
    shell(root, 'rm', '--quiet', 'src/b.txt');
    const before = userState(root);
    const ground = await faultGround(root);
    expect(await ground.places.uncommitted(ground.repository)).toBe(4);
    expect(await ground.live('build', addFile)).toMatchObject(integrated);
    expect(ground.made()).toMatchObject({
      'src/a.txt': 'one\ntwo\nthree',
      'src/b.txt': 'b',
      'new.txt': 'new',
    });
    expect(userState(root)).toBe(before);
  });

  test('in the middle of a rebase of the user, which can be ended afterwards', async () => {
    const { root } = playground();
    shell(root, 'checkout', '--quiet', '-b', 'feature');
    commit(root, { 'src/a.txt': 'feature\n' });
    shell(root, 'checkout', '--quiet', 'main');
    commit(root, { 'src/a.txt': 'main\n' });
    expect(() => shell(root, 'rebase', 'feature')).toThrow('could not apply');
    const before = userState(root);
    const ground = await faultGround(root);
    expect(await ground.live('build', addFile)).toMatchObject(integrated);
    expect(ground.made()).toMatchObject({ 'src/a.txt': 'feature', 'new.txt': 'new' });
    expect(userState(root)).toBe(before);
    write(root, { 'src/a.txt': 'both\n' });
    shell(root, 'add', '.');
    shell(root, 'commit', '--quiet', '-m', 'both');
    shell(root, 'rebase', '--continue');
    expect(shell(root, 'status', '--porcelain')).toBe('');
  });

  test('in folders and with files whose names have spaces, line breaks, quotes and other scripts', async () => {
    const { root } = playground('mein Ordner "ü" 日本 \'x\'');
    const folder = join(root, 'pakete/ä b');
    const name = 'Zeile\nzwei "ü" \\ 日本.txt';
    write(folder, { 'x.txt': 'x' });
    commit(root, {});
    const before = userState(root);
    const ground = await faultGround(folder);
    expect(await ground.live('baue "alles" / ü', (place) => write(place, { [name]: 'new' }))).toMatchObject(
      integrated,
    );
    expect(ground.made()).toMatchObject({ [`pakete/ä b/${name}`]: 'new' });
    expect([userState(root), worktreesOf(ground), fsck(root)]).toEqual([before, [], '']);
  });

  test('in a worktree of the user, and the main checkout does not notice', async () => {
    const { root, folder } = playground();
    const other = join(folder, 'other checkout');
    shell(root, 'worktree', 'add', '--quiet', '-b', 'feature', other);
    commit(other, { 'feature.txt': 'f' });
    write(other, { 'feature.txt': 'not committed' });
    const state = (): string[] => [
      userState(root),
      fingerprint(other),
      shell(other, 'status', '--porcelain'),
    ];
    const before = state();
    const ground = await faultGround(other);
    expect(await ground.live('build', addFile)).toMatchObject(integrated);
    expect(ground.made()).toMatchObject({ 'feature.txt': 'f', 'new.txt': 'new' });
    expect(state()).toEqual(before);
    const place = await ground.place('last');
    write(place.path, { 'last.txt': 'last' });
    shell(root, 'worktree', 'remove', '--force', other);
    expect(await ground.integrate('last', place)).toMatchObject({ type: 'integrated' });
    expect(shell(root, 'show', 'piton/run-1:last.txt')).toBe('last');
  });

  test('in a submodule, and the repository around it does not notice', async () => {
    const { root, folder } = playground();
    const library = playground('library').root;
    shell(root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '--quiet', library, 'library');
    shell(root, 'commit', '--quiet', '-m', 'with library');
    const before = fingerprint(root, (path) => path.startsWith('.git'));
    const ground = await faultGround(join(root, 'library'));
    expect(ground.repository.commonDir).toBe(join(root, '.git/modules/library'));
    expect(await ground.live('build', addFile)).toMatchObject(integrated);
    expect(ground.made()).toMatchObject({ 'new.txt': 'new', 'README.md': 'Hello' });
    expect(fingerprint(root, (path) => path.startsWith('.git'))).toBe(before);
    expect(shell(root, 'status', '--porcelain')).toBe('');
    expect(existsSync(folder)).toBe(true);
  });

  test('in a repository with submodules: what was committed in one there is kept when the place goes', async () => {
    const { root } = playground();
    const library = playground('library').root;
    shell(root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '--quiet', library, 'library');
    shell(root, 'commit', '--quiet', '-m', 'with library');
    const before = userState(root);
    const ground = await faultGround(root);
    let made = '';
    const { integration, cleaned } = await ground.live('build', (place) => {
      shell(place, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
      made = commit(join(place, 'library'), { 'made.txt': 'here' });
      addFile(place);
    });
    expect(integration.type).toBe('integrated');
    expect(shell(root, 'rev-parse', 'piton/run-1:library')).toBe(made);
    expect(cleaned).toMatchObject({ how: 'archived' });
    const back = join(realpathSync(temporaryFolder()), 'back');
    await ground.places.restore(ground.repository, cleaned.ref!, back);
    expect(shell(join(back, 'library'), 'cat-file', '-t', made)).toBe('commit');
    expect(shell(join(root, 'library'), 'for-each-ref', '--format=%(refname)', 'refs/piton')).toBe(
      `refs/piton/kept/${made}`,
    );
    const brought = /^modules\/library\/(objects\/pack\/|refs\/piton).*\n/gm;
    expect(userState(root).replaceAll(brought, '')).toBe(before);
  });

  test('in a sparse checkout: the place is as sparse, and what it leaves out is not deleted', async () => {
    const { root } = playground();
    commit(root, { 'docs/d.txt': 'd' });
    shell(root, 'sparse-checkout', 'set', '--cone', 'src');
    const before = userState(root);
    const ground = await faultGround(root);
    const seen: boolean[] = [];
    const life = await ground.live('build', (place) => {
      seen.push(existsSync(join(place, 'docs')), existsSync(join(place, 'src/a.txt')));
      write(place, { 'src/new.txt': 'new' });
    });
    expect(life).toMatchObject(integrated);
    expect(seen).toEqual([false, true]);
    expect(ground.made()).toMatchObject({ 'docs/d.txt': 'd', 'src/new.txt': 'new' });
    expect(userState(root)).toBe(before);
  });

  test('in a shallow clone, in one that borrows its objects, and with settings for each worktree', async () => {
    const { root, folder } = playground();
    commit(root, { 'second.txt': '2' });
    const clones = {
      shallow: ['--depth=1', `file://${root}`],
      borrowing: ['--shared', root],
      own: ['--no-hardlinks', root],
    };
    for (const [name, args] of Object.entries(clones)) {
      const clone = join(folder, name);
      shell(folder, 'clone', '--quiet', ...args, clone);
      if (name === 'own') {
        shell(clone, 'config', 'extensions.worktreeConfig', 'true');
        shell(clone, 'config', '--worktree', 'core.worktree', clone);
      }
      const before = userState(clone);
      const ground = await faultGround(clone);
      expect(await ground.live('one', addFile)).toMatchObject(integrated);
      expect(await ground.live('two', (place) => write(place, { 'two.txt': '2' }))).toMatchObject(integrated);
      expect(ground.made()).toMatchObject({ 'new.txt': 'new', 'two.txt': '2', 'second.txt': '2' });
      expect([userState(clone), fsck(clone)]).toEqual([before, '']);
    }
  });

  test('where git writes other line endings into files: only what was changed is a change', async () => {
    const { root } = playground();
    shell(root, 'config', 'core.autocrlf', 'true');
    shell(root, '-c', 'core.autocrlf=false', 'rm', '--quiet', '--cached', 'src/b.txt');
    writeFileSync(join(root, 'src/b.txt'), 'crlf\r\n');
    shell(root, '-c', 'core.autocrlf=false', 'add', 'src/b.txt');
    shell(root, 'commit', '--quiet', '-m', 'with crlf');
    const ground = await faultGround(root);
    const life = await ground.live('build', (place) => {
      expect(readFileSync(join(place, 'src/a.txt'), 'utf8')).toBe('one\r\ntwo\r\nthree\r\n');
      writeFileSync(join(place, 'README.md'), 'Hello\r\nyou\r\n');
    });
    expect(life).toMatchObject({ ...integrated, cleaned: { how: 'removed' } });
    const changed = shell(root, 'diff', '--name-only', 'main', 'piton/run-1');
    expect(changed).toBe('README.md');
    expect(shell(root, 'cat-file', '-p', 'piton/run-1:README.md')).toBe('Hello\nyou');
  });

  test('with files that git would write otherwise than they were committed, which nobody has touched', async () => {
    const { root } = playground();
    commit(root, { 'old.txt': 'crlf\r\n' });
    commit(root, { '.gitattributes': '* text=auto eol=lf\n' });
    const ground = await faultGround(root);
    const known = await ground.place('build');
    addFile(known.path);
    expect(await ground.integrate('build', known, { writes: ['new.txt'] })).toMatchObject({
      type: 'integrated',
    });
  });

  test('with links that lead out of the repository: they stay links, and nothing behind them is touched', async () => {
    const { root, folder } = playground();
    const outside = join(folder, 'outside');
    mkdirSync(outside);
    write(outside, { 'precious.txt': 'precious' });
    symlinkSync(outside, join(root, 'out'));
    commit(root, {});
    const before = [userState(root), fingerprint(outside)];
    const ground = await faultGround(root);
    const life = await ground.live('build', (place) => {
      symlinkSync(root, join(place, 'home'));
      symlinkSync('/nonexistent/x', join(place, 'nowhere'));
      mkdirSync(join(place, 'dist'));
      symlinkSync(outside, join(place, 'dist/out'));
    });
    expect(life).toMatchObject(integrated);
    expect(ground.made()).toMatchObject({ out: outside, home: root, nowhere: '/nonexistent/x' });
    expect([userState(root), fingerprint(outside)]).toEqual(before);
    expect(worktreesOf(ground)).toEqual([]);
  });

  test('with paths as long as they can be', async () => {
    const { root } = playground();
    const long = `${Array.from({ length: 12 }, (_, index) => `${index}`.padEnd(250, 'x')).join('/')}/file.txt`;
    write(root, { [long]: 'deep' });
    commit(root, {});
    const ground = await faultGround(root);
    expect(await ground.live('build', (place) => write(place, { [`${long}2`]: 'deeper' }))).toMatchObject(
      integrated,
    );
    expect(ground.made()).toMatchObject({ [long]: 'deep', [`${long}2`]: 'deeper' });
    expect(worktreesOf(ground)).toEqual([]);
  });
});

describe('large files that git has only pointers of', () => {
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n';
  const made = 'version https://example.org/spec/v1';

  function withLargeFiles(): { root: string; equipped: Record<string, string>; fetched: string } {
    const { root, folder } = playground();
    commit(root, { '.gitattributes': '*.bin filter=lfs -text\n', 'large.bin': pointer });
    // The real one may be installed.
    const settings = { clean: 'test-lfs clean -- %f', smudge: 'test-lfs smudge -- %f', required: 'true' };
    for (const [name, value] of Object.entries(settings)) shell(root, 'config', `filter.lfs.${name}`, value);
    const fetched = join(folder, 'fetched');
    const standIn = `case $1 in smudge) touch ${fetched};; esac\nif grep -a -E '^(version|oid|size) '; then :; else echo ${made}; fi`;
    const programs = temporaryFolder();
    writeFileSync(join(programs, 'test-lfs'), `#!/bin/sh\n${standIn}\n`, { mode: 0o755 });
    const equipped = plainEnvironment({ PATH: `${programs}:${process.env['PATH']}` });
    return { root, equipped, fetched };
  }

  test('stay pointers in places and results, unless an agent has changed them', async () => {
    const { root, equipped, fetched } = withLargeFiles();
    const before = userState(root);
    const ground = await faultGround(root, equipped);
    const seen: string[] = [];
    const life = await ground.live('build', (place) => {
      seen.push(readFileSync(join(place, 'large.bin'), 'utf8'));
      write(place, { 'other.bin': 'much' });
    });
    expect(life).toMatchObject({ ...integrated, cleaned: { how: 'removed' } });
    expect(seen).toEqual([pointer]);
    expect(ground.made()).toMatchObject({ 'large.bin': pointer.trim(), 'other.bin': made });
    expect([userState(root), existsSync(fetched)]).toEqual([before, false]);
  });

  test('hold the task, if it has changed them and the program for them is missing', async () => {
    const { root, equipped } = withLargeFiles();
    const ground = await faultGround(root, equipped);
    const place = await ground.place('build');
    write(place.path, { 'large.bin': 'much' });
    const request = { ...ground.request('build'), known: place, attempt: 'a1', seq: 1, at: 1 };
    const without = openLocal({ kind: 'worktree', state: dirname(ground.worktrees), folder: root }).places;
    const refusal = without.integrate({ ...request, isChecked: false, others: [] });
    await expect(refusal).rejects.toThrow(/test-lfs: not found[^]*Install git-lfs[^]*filter\.lfs\.clean/);
    expect(readFileSync(join(place.path, 'large.bin'), 'utf8')).toBe('much');
    expect(await ground.integrate('build', place)).toMatchObject({ type: 'integrated' });
    expect(ground.made()).toMatchObject({ 'large.bin': made });
  });
});

test('a path that no folder can have holds the task, and leaves the user alone', async () => {
  const { root } = playground();
  const deep = Array.from({ length: 4 }, () => 'x'.repeat(250)).join('/');
  const long = `${Array.from({ length: 5 }, () => deep).join('/')}/file.txt`;
  const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: root, input: 'deep' });
  const line = `100644,${blob.toString().trim()},${long}`;
  shell(root, 'update-index', '--add', '--cacheinfo', line);
  shell(root, 'commit', '--quiet', '-m', 'too long');
  const before = userState(root);
  const ground = await faultGround(root);
  const refusal = await ground.place('build').catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'GIT_FAILED' });
  expect(String(refusal)).toContain('cannot create directory');
  expect([userState(root), fsck(root)]).toEqual([before, '']);
});

test('a repository that names its objects by longer hashes is one like any other', async () => {
  const root = realpathSync(temporaryFolder());
  shell(root, 'init', '--quiet', '--initial-branch=main', '--object-format=sha256');
  commit(root, firstFiles);
  const ground = await faultGround(root);
  expect(await ground.live('one', addFile)).toMatchObject(integrated);
  expect(await ground.live('two', (place) => write(place, { 'two.txt': '2' }))).toMatchObject(integrated);
  expect(ground.made()).toMatchObject({ 'new.txt': 'new', 'two.txt': '2' });
  expect(fsck(root)).toBe('');
});
