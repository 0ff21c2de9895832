/** Whoever works in a worktree, also contained, writes its record, its branch and the log of that: links lead our git elsewhere. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addWorktree, commitResult, moveRef, runBranch, taskBranch } from '../../src/workspaces/git/index.ts';
import { withTemporaryIndex } from '../../src/workspaces/git/temporary-index.ts';
import { at, trailers } from '../support/git-orders.ts';
import { commit, playground, shell, write } from '../support/git-playground.ts';
import { scene as integrateScene } from '../support/integrate-scene.ts';
import { openLocal, placeRequest } from '../support/local-places.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function scene() {
  const ground = playground();
  const worktree = await addWorktree(ground.git, ground.order());
  const home = join(ground.folder, 'home');
  write(home, { '.profile': 'precious\n' });
  // A name of a file becomes a line of the index.
  write(worktree.path, { 'dir/\ntouch pwned\n': 'x' });
  const ref = taskBranch('run-1', 'build');
  const order = { worktree, base: ground.base, ref, message: 'work', trailers, at };
  return { ...ground, worktree, home, ref, take: () => commitResult(ground.git, order) };
}

function replace(file: string, target: string): void {
  rmSync(file, { recursive: true, force: true });
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(target, file);
}

describe('a link in the record of a worktree', () => {
  test.for(['index', 'HEAD', 'logs', 'logs/HEAD'])('is not written through: %s', async (name) => {
    const { worktree, home, take } = await scene();
    const target = name === 'logs' ? home : join(home, name === 'index' ? 'new' : '.profile');
    replace(join(worktree.gitDir, name), target);
    await expect(take()).rejects.toThrow('is a link or a pipe');
    expect(readdirSync(home)).toEqual(['.profile']);
    expect(readFileSync(join(home, '.profile'), 'utf8')).toBe('precious\n');
  });
});

test('a pipe in the place of the index is not waited for', async () => {
  const { worktree, take } = await scene();
  rmSync(join(worktree.gitDir, 'index'));
  execFileSync('mkfifo', [join(worktree.gitDir, 'index')]);
  await expect(take()).rejects.toThrow('is a link or a pipe');
});

test('no index of ours lies where whoever works in the worktree could exchange it', async () => {
  const { git, worktree } = await scene();
  const seen = await withTemporaryIndex(git, worktree, async (file) => dirname(file));
  expect(seen.startsWith(worktree.gitDir) || seen.startsWith(worktree.path)).toBe(false);
});

describe('a link in the place of a branch of Piton’s, its folder or its log', () => {
  test.for(['', 'logs/'])('is not written through: %s', async (where) => {
    const { git, repository, base, ref, home } = await scene();
    const other = `${ref}-2`;
    writeFileSync(join(home, 'log'), '');
    replace(join(repository.commonDir, `${where}${other}`), join(home, 'log'));
    const move = { ref: other, from: undefined, to: base };
    await expect(moveRef(git, repository, move)).rejects.toThrow('is a link or');
    expect(readFileSync(join(home, 'log'), 'utf8')).toBe('');
    const folder = dirname(join(repository.commonDir, `${where}${ref}`));
    replace(folder, home);
    await expect(moveRef(git, repository, move)).rejects.toThrow('is a link or');
    expect(existsSync(join(home, 'build-2'))).toBe(false);
  });
});

test('a link on the way to what is brought into a place is not followed', async () => {
  const top = temporaryFolder();
  const [state, folder, place, home] = ['state', 'folder', 'place', 'home'].map((name) => join(top, name));
  const { filling } = openLocal({ kind: 'directory', state: state!, folder: folder! });
  write(folder!, { 'conf/deep/.env': 'SECRET=1', 'out/dir/artifact': 'planted' });
  await filling.keepArtifacts({ run: 'run-1', task: 'evil', folder: folder!, paths: ['out/dir/artifact'] });
  mkdirSync(home!);
  mkdirSync(place!);
  const fill = (more: object): Promise<unknown> =>
    filling.fill(placeRequest({ folder: folder!, mode: { mode: 'directory' } }, 'build', more), place!);
  for (const [name, more] of [
    ['conf', { copy: ['conf/deep/.env'] }],
    ['out', { artifactsOf: ['evil'] }],
    ['some', { caches: ['some/cache'] }],
  ] as const) {
    symlinkSync(home!, join(place!, name));
    await expect(fill(more)).rejects.toMatchObject({ code: 'WORKTREE_REFUSED' });
  }
  expect(readdirSync(home!)).toEqual([]);
});

test('a note that somebody has written into the record of a worktree moves no branch and checks nothing', async () => {
  const ground = await integrateScene();
  const worker = await ground.worker('build');
  const gitDir = shell(worker.path, 'rev-parse', '--absolute-git-dir');
  const evil = commit(worker.path, { '.github/workflows/ci.yml': 'evil' });
  const tree = shell(worker.path, 'rev-parse', 'HEAD^{tree}');
  const order = { token: 'token-build', trailers: { run: 'run-1', task: 'build', attempt: 'a', seq: 1 }, at };
  const said = { ...order, commit: evil, tree, resultTree: tree, files: tree, isLeft: false };
  const note = { ...said, result: ground.runTip(), what: { type: 'result', branch: runBranch('run-1') } };
  writeFileSync(join(gitDir, 'piton-layout.json'), JSON.stringify(note));
  expect((await worker.integrate()).type).toBe('steering');
  expect(ground.runTip()).toBe(ground.base);
});
