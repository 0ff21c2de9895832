/** An agent that can write nothing but its worktree plants repositories in it, for Piton's own git to meet. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  addWorktree,
  archiveWorktree,
  commitResult,
  proveKept,
  readStatus,
  removeWorktree,
  restoreArchive,
  taskBranch,
  type AddedWorktree,
} from '../../src/workspaces/git/index.ts';
import { findUnkept } from '../../src/workspaces/worktree/unkept.ts';
import { at, trailers } from '../support/git-orders.ts';
import { commit, fingerprint, playground, shell, write, type Playground } from '../support/git-playground.ts';

interface Scene extends Playground {
  readonly worktree: AddedWorktree;
  readonly path: string;
  /** What the planted programs leave when they are started. */
  readonly traces: string;
}

async function scene(): Promise<Scene> {
  const ground = playground();
  const worktree = await addWorktree(ground.git, ground.order());
  return { ...ground, worktree, path: worktree.path, traces: join(ground.folder, 'traces') };
}

/** A repository whose configuration starts a program wherever git would start one. */
function plant(folder: string, traces: string): void {
  mkdirSync(folder, { recursive: true });
  shell(folder, 'init', '--quiet', '--initial-branch=main');
  commit(folder, { 'x.txt': 'one\n' });
  const trace = (name: string): string => `sh -c 'echo ${name} >> ${traces}; cat'`;
  for (const [key, name] of [
    ['filter.x.clean', 'clean'],
    ['filter.x.smudge', 'smudge'],
    ['diff.x.textconv', 'textconv'],
    ['diff.x.command', 'diff'],
    ['core.fsmonitor', 'fsmonitor'],
    ['core.pager', 'pager'],
    ['gpg.program', 'gpg'],
  ] as const)
    shell(folder, 'config', key, trace(name));
  write(folder, { '.gitattributes': '* filter=x diff=x\n', 'x.txt': 'two\n', 'new.txt': 'new\n' });
}

/** All that is done to a worktree when a task ends, is tried again, or is cleaned. */
async function handle({ git, worktree, base, path, order }: Scene) {
  await readStatus(git, worktree, { withIgnored: true });
  await commitResult(git, {
    worktree,
    base,
    ref: taskBranch('run-1', 'build'),
    message: 'work',
    trailers,
    at,
  });
  const holding = { worktree, marker: undefined, holders: [base], hasStash: false, caches: [] };
  await findUnkept(git, { ...holding, isIgnoredLeft: false });
  const archiving = { worktree, trailers, at, caches: [] };
  const { ref } = await archiveWorktree(git, archiving);
  expect(await proveKept(git, archiving)).toEqual({ isKept: true, missing: [] });
  const before = fingerprint(path, (name) => name === '.git');
  expect(await removeWorktree(git, order())).toEqual({ type: 'removed' });
  const again = await restoreArchive(git, { ...order(), archive: ref });
  expect(fingerprint(again.path, (name) => name === '.git')).toBe(before);
  return ref;
}

function tracesOf({ traces }: Scene): string {
  return existsSync(traces) ? readFileSync(traces, 'utf8') : '';
}

describe('a repository that was planted in a worktree', () => {
  test.for(['sub', 'src', 'dist/deep'])('starts nothing, and is kept file by file: %s', async (where) => {
    const ground = await scene();
    plant(join(ground.path, where), ground.traces);
    await handle(ground);
    expect(tracesOf(ground)).toBe('');
  });

  test('starts nothing behind a gitlink', async () => {
    const ground = await scene();
    const sub = join(ground.path, 'sub');
    plant(sub, ground.traces);
    const head = shell(sub, 'rev-parse', 'HEAD');
    write(ground.path, {
      '.gitmodules': '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n\tupdate = !touch x\n',
    });
    shell(ground.path, 'update-index', '--add', '--cacheinfo', `160000,${head},sub`);
    shell(ground.path, 'add', '.gitmodules');
    shell(ground.path, 'commit', '--quiet', '-m', 'a submodule');
    await handle(ground);
    expect(tracesOf(ground)).toBe('');
  });
});

describe('a link to a repository elsewhere', () => {
  test.for<[string, (sub: string, elsewhere: string) => void]>([
    ['by gitdir', (sub, elsewhere) => writeFileSync(join(sub, '.git'), `gitdir: ${elsewhere}/.git\n`)],
    ['by a symbolic link', (sub, elsewhere) => symlinkSync(join(elsewhere, '.git'), join(sub, '.git'))],
    [
      'by commondir',
      (sub, elsewhere) => {
        shell(sub, 'init', '--quiet');
        write(join(sub, '.git'), { commondir: `${elsewhere}/.git\n` });
      },
    ],
    [
      'by alternates',
      (sub, elsewhere) => {
        shell(sub, 'init', '--quiet');
        write(join(sub, '.git'), { 'objects/info/alternates': `${elsewhere}/.git/objects\n` });
      },
    ],
  ])('is data: nothing is written there, and nothing taken from it (%s)', async ([, link]) => {
    const ground = await scene();
    const elsewhere = playground('elsewhere');
    const secret = commit(elsewhere.root, { 'secret.txt': 'a secret of another repository' });
    const sub = join(ground.path, 'sub');
    write(sub, { 'x.txt': 'x' });
    link(sub, elsewhere.root);
    const before = fingerprint(elsewhere.root);
    const ref = await handle(ground);
    expect(fingerprint(elsewhere.root)).toBe(before);
    expect(shell(ground.root, 'rev-list', '--objects', ref)).not.toContain('secret.txt');
    expect(() => shell(ground.root, 'cat-file', '-e', secret)).toThrow('Command failed');
  });
});
