import { appendFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { snapshotTree } from '../../../src/workspaces/git/index.ts';
import {
  commit,
  fsck,
  gitBehind,
  shell,
  testGit,
  treeOf,
  userState,
  write,
} from '../../support/git-playground.ts';
import { scene, type Worker } from '../../support/integrate-scene.ts';
import { integrateResult } from '../../../src/workspaces/worktree/integrate-result.ts';

describe('the work of a task', () => {
  test('is one commit on its branch and one on the branch of the run, and the user notices nothing', async () => {
    const ground = await scene();
    const build = await ground.worker('build');
    write(build.path, { 'new.txt': 'new', 'x.log': 'ignored' });
    const before = userState(ground.root);
    const done = await build.integrate();
    expect(done).toEqual({ type: 'integrated', result: build.branch(), commit: ground.runTip() });
    expect(treeOf(ground.root, ground.runTip())).toMatchObject({ 'new.txt': 'new' });
    expect(shell(ground.root, 'log', '-1', '--format=%P', ground.runTip())).toBe(
      `${ground.base} ${build.branch()}`,
    );
    expect(await build.integrate()).toEqual(done);
    expect(await build.integrate({ seq: 99 })).toEqual(done);
    expect([userState(ground.root), fsck(ground.root)]).toEqual([before, '']);
  });

  test('that has changed nothing leaves the branch of the run where it is', async () => {
    const ground = await scene();
    const build = await ground.worker('build');
    expect(await build.integrate()).toEqual({ type: 'integrated', result: ground.base, commit: ground.base });
  });

  test('is merged with what others have made, without being checked if it has no check', async () => {
    const ground = await scene();
    const [ui, api] = [await ground.worker('ui'), await ground.worker('api')];
    write(ui.path, { 'ui.txt': 'ui' });
    write(api.path, { 'api.txt': 'api' });
    await ui.integrate();
    expect((await api.integrate()).type).toBe('integrated');
    expect(treeOf(ground.root, ground.runTip())).toMatchObject({ 'ui.txt': 'ui', 'api.txt': 'api' });
  });

  test('costs few processes of git when there is nothing to merge', async () => {
    const ground = await scene();
    const build = await ground.worker('build', { writes: ['new.txt'], isChecked: true });
    write(build.path, { 'new.txt': 'new' });
    const counter = join(ground.folder, 'counter');
    const git = testGit({ environment: gitBehind(`echo "$*" >> ${counter}; exec "$GIT" "$@"`, identity) });
    const done = await integrateResult({ git, prepare: never }, build.request);
    expect(done.type).toBe('integrated');
    const calls = readFileSync(counter, 'utf8').trimEnd().split('\n');
    expect(calls.length).toBeLessThanOrEqual(16);
  });
});

const identity = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

const never = (): Promise<never> => Promise.reject(new Error('nothing is to be made again'));

describe('a worktree that is gone', () => {
  test('is made again from what was saved last, and nothing is lost', async () => {
    const ground = await scene();
    const build = await ground.worker('build');
    write(build.path, { 'new.txt': 'new' });
    const { request } = build;
    const { gitDir } = { gitDir: shell(build.path, 'rev-parse', '--absolute-git-dir') };
    const worktree = { path: build.path, gitDir, commonDir: ground.repository.commonDir };
    const { run, task, attempt, seq, at } = request;
    const trailers = { run, task, attempt, seq };
    const ref = 'refs/piton/run-1/build/saved';
    const { commit: snapshot } = await snapshotTree(ground.git, {
      worktree,
      ref,
      message: 's',
      trailers,
      at,
    });
    rmSync(build.path, { recursive: true });
    expect((await build.integrate({ snapshot })).type).toBe('integrated');
    expect(treeOf(ground.root, ground.runTip())).toMatchObject({ 'new.txt': 'new' });
  });

  test('and was never saved holds the task', async () => {
    const ground = await scene();
    const build = await ground.worker('build');
    rmSync(build.path, { recursive: true });
    await expect(build.integrate()).rejects.toMatchObject({ code: 'WORKSPACE_GONE' });
    expect(ground.runTip()).toBe(ground.base);
  });

  test('or replaced by something else holds the task: nothing of that is taken', async () => {
    const ground = await scene();
    const [build, other] = [await ground.worker('build'), await ground.worker('other')];
    renameSync(build.path, `${build.path}-away`);
    renameSync(other.path, build.path);
    await expect(build.integrate()).rejects.toMatchObject({ code: 'WORKSPACE_GONE' });
    await expect(
      build.integrate({ known: { ...other.request.known, path: `${build.path}-away` } }),
    ).rejects.toMatchObject({ code: 'WORKSPACE_GONE' });
  });

  test('does not matter any more when the merge has been checked', async () => {
    const ground = await scene();
    const [build, other] = [await ground.worker('build', { isChecked: true }), await ground.worker('other')];
    write(build.path, { 'a.txt': 'a' });
    write(other.path, { 'b.txt': 'b' });
    await other.integrate();
    const proposal = await build.integrate();
    if (proposal.type !== 'proposed') throw new Error(proposal.type);
    rmSync(build.path, { recursive: true });
    expect(await build.integrate({ verified: proposal })).toEqual({
      type: 'integrated',
      result: proposal.result,
      commit: proposal.commit,
    });
  });
});

describe('files that a task may write', () => {
  async function wrote(writes: readonly string[], files: Record<string, string>, prefix = '') {
    const ground = await scene(prefix);
    const build = await ground.worker('build', { writes });
    write(build.path, files);
    return { ground, build };
  }

  test('are named by files, folders and patterns from the folder of the run', async () => {
    const writes = ['src', 'docs/*.md', './lib/**/x.{ts,js}', 'one.txt', '[ab]?.c', '../shared/'];
    const { build } = await wrote(
      writes,
      {
        'app/src/deep/a.ts': '1',
        'app/docs/a.md': '1',
        'app/lib/x.ts': '1',
        'app/lib/a/b/x.js': '1',
        'app/one.txt': '1',
        'app/a1.c': '1',
        'shared/x': '1',
      },
      'app',
    );
    expect((await build.integrate()).type).toBe('integrated');
  });

  test('and others hold the task, all of them named in order, until a person takes them', async () => {
    const { ground, build } = await wrote(['docs/*.md', 'lib/x.{ts,js}', '[!ab].c', 'src'], {
      'z.txt': '1',
      'docs/deep/a.md': '1',
      'docs/a.md': '1',
      'lib/x.tsx': '1',
      'a.c': '1',
      'srcs/a': '1',
      'ü b.txt': '1',
    });
    rmSync(join(build.path, 'README.md'));
    const exceeded = {
      type: 'exceeded',
      files: ['README.md', 'a.c', 'docs/deep/a.md', 'lib/x.tsx', 'srcs/a', 'z.txt', 'ü b.txt'],
    };
    expect(await build.integrate()).toEqual(exceeded);
    expect(await build.integrate()).toEqual(exceeded);
    expect(ground.runTip()).toBe(ground.base);
    expect((await build.integrate({ isAdopted: true })).type).toBe('integrated');
  });

  test('do not include what was merged in from others', async () => {
    const ground = await scene();
    const [build, other] = [
      await ground.worker('build', { writes: ['src/a.txt'] }),
      await ground.worker('other'),
    ];
    write(other.path, { 'src/a.txt': 'one\ntwo\nothers\n', 'other.txt': 'other' });
    await other.integrate();
    write(build.path, { 'src/a.txt': 'one\ntwo\nbuilds\n' });
    expect((await build.integrate()).type).toBe('conflict');
    expect(existsSync(join(build.path, 'other.txt'))).toBe(true);
    write(build.path, { 'src/a.txt': 'one\ntwo\nboth\n' });
    expect((await build.integrate({ attempt: 'revision' })).type).toBe('integrated');
  });
});

describe('a conflict', () => {
  async function conflicting(): Promise<{ ground: Awaited<ReturnType<typeof scene>>; build: Worker }> {
    const ground = await scene();
    const [build, other] = [await ground.worker('build'), await ground.worker('other')];
    write(other.path, { 'src/a.txt': 'one\ntwo\nothers\n', 'other.txt': 'other', 'kept.txt': 'theirs' });
    await other.integrate();
    write(build.path, { 'src/a.txt': 'one\ntwo\nbuilds\n', 'mine.txt': 'mine', 'x.log': 'ignored' });
    return { ground, build };
  }

  test('is laid out in the worktree with both sides, and the branch of the run stays', async () => {
    const { ground, build } = await conflicting();
    const tip = ground.runTip();
    const found = await build.integrate();
    expect(found).toMatchObject({ type: 'conflict', files: ['src/a.txt'] });
    const text = readFileSync(join(build.path, 'src/a.txt'), 'utf8');
    expect([text.includes('others'), text.includes('builds'), text.includes('<<<<<<<')]).toEqual([
      true,
      true,
      true,
    ]);
    expect(readFileSync(join(build.path, 'other.txt'), 'utf8')).toBe('other');
    expect(readFileSync(join(build.path, 'x.log'), 'utf8')).toBe('ignored');
    expect(shell(build.path, 'status', '--porcelain')).toBe('');
    expect(ground.runTip()).toBe(tip);
    expect(await build.integrate()).toEqual(found);
    expect(await build.integrate({ isAdopted: true })).toMatchObject({
      type: 'conflict',
      files: ['src/a.txt'],
    });
  });

  test('tells whose work the two sides are: by the branch of the run and by tasks, never by commits', async () => {
    const ground = await scene();
    shell(ground.root, 'config', 'merge.conflictStyle', 'diff3');
    const [build, other, third] = [
      await ground.worker('build'),
      await ground.worker('other'),
      await ground.worker('third[a/b]'),
    ];
    write(other.path, { 'src/a.txt': 'one\ntwo\nothers\n', 'ü thing': 'a file' });
    await other.integrate();
    write(third.path, { 'third.txt': 'third' });
    await third.integrate();
    write(build.path, { 'src/a.txt': 'one\ntwo\nbuilds\n', 'ü thing/inside': 'a folder' });
    const found = await build.integrate();
    if (found.type !== 'conflict') throw new Error(found.type);
    const kept = 'ü thing~piton_run-1';
    expect(found.files.toSorted()).toEqual(['src/a.txt', kept]);
    const marks = readFileSync(join(build.path, 'src/a.txt'), 'utf8').match(/^([<|>])\1{6} .*$/gm);
    expect(marks).toEqual(['<<<<<<< piton/run-1 (task other)', '||||||| before both', '>>>>>>> task build']);
    expect(readFileSync(join(build.path, kept), 'utf8')).toBe('a file');
    expect(found.report).not.toMatch(/[0-9a-f]{40}/);
    expect([shell(build.path, 'status', '--porcelain'), fsck(ground.root)]).toEqual(['', '']);
  });

  test.for<[string, (path: string) => void]>([
    ['left in the files', () => undefined],
    ['added', (path) => shell(path, 'add', '--all')],
    ['committed', (path) => commit(path, {})],
  ])('that a person has solved is taken: %s', async ([, act]) => {
    const { ground, build } = await conflicting();
    await build.integrate();
    write(build.path, { 'src/a.txt': 'one\ntwo\nboth\n' });
    act(build.path);
    expect((await build.integrate()).type).toBe('integrated');
    expect(treeOf(ground.root, ground.runTip())).toMatchObject({
      'src/a.txt': 'one\ntwo\nboth',
      'mine.txt': 'mine',
      'other.txt': 'other',
    });
    expect(fsck(ground.root)).toBe('');
  });

  test('is solved, whatever the message of the solution repeats', async () => {
    const { build } = await conflicting();
    await build.integrate();
    commit(build.path, { 'src/a.txt': 'one\ntwo\nboth\n' }, 'Solved\n\nPiton-Conflict: "src/a.txt"');
    expect((await build.integrate()).type).toBe('integrated');
  });

  test.for<[string, (path: string) => void]>([
    ['in another message', (path) => commit(path, {}, 'Solved\n\nPiton-Conflict: "mine.txt"')],
    [
      'in a broken message',
      (path) => commit(path, {}, 'Piton-Conflict: x\nPiton-Conflict: "../x"\nPiton-Conflict: "\\u0000"'),
    ],
    [
      'in place of its own message',
      (path) => shell(path, 'commit', '--quiet', '--all', '--amend', '--message=Solved'),
    ],
  ])('is not solved by what an agent says %s', async ([, act]) => {
    const { ground, build } = await conflicting();
    const tip = ground.runTip();
    await build.integrate();
    appendFileSync(join(build.path, 'src/a.txt'), 'half done\n');
    shell(build.path, 'add', '--all');
    act(build.path);
    expect(await build.integrate()).toMatchObject({ type: 'conflict', files: ['src/a.txt'] });
    expect(ground.runTip()).toBe(tip);
  });

  test('of which marks are left is told again, with the files, and what was done stays', async () => {
    const { build } = await conflicting();
    await build.integrate();
    appendFileSync(join(build.path, 'src/a.txt'), 'half done\n');
    const text = readFileSync(join(build.path, 'src/a.txt'), 'utf8');
    expect(await build.integrate()).toMatchObject({
      type: 'conflict',
      files: ['src/a.txt'],
      report: expect.stringContaining('still in: src/a.txt') as string,
    });
    expect(readFileSync(join(build.path, 'src/a.txt'), 'utf8')).toBe(text);
  });

  test('of a file that one side has deleted is taken as it is once that was committed', async () => {
    const ground = await scene();
    const [build, other] = [await ground.worker('build'), await ground.worker('other')];
    rmSync(join(other.path, 'src/a.txt'));
    await other.integrate();
    write(build.path, { 'src/a.txt': 'changed\n' });
    const found = await build.integrate();
    expect(found).toMatchObject({ type: 'conflict', files: ['src/a.txt'] });
    expect(await build.integrate()).toEqual(found);
    shell(build.path, 'commit', '--quiet', '--all', '--allow-empty', '-m', 'as it is');
    expect((await build.integrate()).type).toBe('integrated');
    expect(treeOf(ground.root, ground.runTip())).toMatchObject({ 'src/a.txt': 'changed' });
  });

  test('with an ignored file in the way keeps that file', async () => {
    const { ground, build } = await conflicting();
    appendFileSync(join(ground.repository.commonDir, 'info/exclude'), 'kept.txt\n');
    write(build.path, { 'kept.txt': 'mine, ignored' });
    await build.integrate();
    expect(readFileSync(join(build.path, 'kept.txt'), 'utf8')).toBe('theirs');
    const kept = shell(ground.root, 'for-each-ref', '--format=%(refname)', 'refs/piton/run-1/build/kept');
    expect(treeOf(ground.root, kept)['kept.txt']).toBe('mine, ignored');
  });
});
