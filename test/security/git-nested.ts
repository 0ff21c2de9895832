/** An agent that can write nothing but its worktree plants repositories in it, for Piton's own git to meet. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
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

/** A repository in a folder of a worktree is kept file by file. Gives what it could have started. */
export async function plantAt(where: string): Promise<string> {
  const ground = await scene();
  plant(join(ground.path, where), ground.traces);
  await handle(ground);
  return tracesOf(ground);
}

/** The same, and the worktree has it as a submodule. */
export async function plantBehindGitlink(): Promise<string> {
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
  return tracesOf(ground);
}

type Link = (sub: string, elsewhere: string) => void;

const links: Readonly<Record<'gitdir' | 'symbolic link' | 'commondir' | 'alternates', Link>> = {
  gitdir: (sub, elsewhere) => writeFileSync(join(sub, '.git'), `gitdir: ${elsewhere}/.git\n`),
  'symbolic link': (sub, elsewhere) => symlinkSync(join(elsewhere, '.git'), join(sub, '.git')),
  commondir(sub, elsewhere) {
    shell(sub, 'init', '--quiet');
    write(join(sub, '.git'), { commondir: `${elsewhere}/.git\n` });
  },
  alternates(sub, elsewhere) {
    shell(sub, 'init', '--quiet');
    write(join(sub, '.git'), { 'objects/info/alternates': `${elsewhere}/.git/objects\n` });
  },
};

/** A link to a repository elsewhere. Gives whether something was written there, or taken from it. */
export async function plantLink(
  name: keyof typeof links,
): Promise<{ readonly isChanged: boolean; readonly isTaken: boolean }> {
  const ground = await scene();
  const elsewhere = playground('elsewhere');
  const secret = commit(elsewhere.root, { 'secret.txt': 'a secret of another repository' });
  const sub = join(ground.path, 'sub');
  write(sub, { 'x.txt': 'x' });
  links[name](sub, elsewhere.root);
  const before = fingerprint(elsewhere.root);
  const ref = await handle(ground);
  const objects = shell(ground.root, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)');
  const listed = shell(ground.root, 'rev-list', '--objects', ref);
  return {
    isChanged: fingerprint(elsewhere.root) !== before,
    isTaken: listed.includes('secret.txt') || objects.split('\n').includes(secret),
  };
}
