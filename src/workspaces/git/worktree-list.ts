import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { hasCode } from '../../base/index.ts';
import type { Git } from './git.ts';
import { realPlace, splitAtZeros, type RepositoryPlace } from './places.ts';
import { runOnRecords } from './worktree-records.ts';

/** A worktree as the repository has it on record, whether its folder is there or not. */
export interface WorktreeEntry {
  readonly path: string;
  /** Its own folder inside the repository; undefined for the main one. */
  readonly gitDir: string | undefined;
  readonly head: string | undefined;
  /** The full name; undefined: detached. */
  readonly branch: string | undefined;
  readonly isBare: boolean;
  /** The reason that was given, perhaps ''. */
  readonly locked: string | undefined;
  /** Why git would forget it. */
  readonly prunable: string | undefined;
}

export async function listWorktrees(
  git: Git,
  repository: RepositoryPlace,
): Promise<readonly WorktreeEntry[]> {
  const { stdout } = await runOnRecords(git, repository, { args: ['list', '--porcelain', '-z'] });
  const gitDirs = await readGitDirs(repository);
  const records = stdout.split('\0\0').filter((record) => record !== '');
  return records.map((record) => readEntry(splitAtZeros(record), gitDirs));
}

function readEntry(lines: readonly string[], gitDirs: ReadonlyMap<string, string>): WorktreeEntry {
  const attribute = (name: string): string | undefined => {
    const line = lines.find((one) => one === name || one.startsWith(`${name} `));
    return line?.slice(name.length + 1);
  };
  const path = attribute('worktree') ?? '';
  const head = attribute('HEAD');
  return Object.freeze({
    path,
    gitDir: gitDirs.get(path),
    head: head === undefined || /^0+$/.test(head) ? undefined : head,
    branch: attribute('branch'),
    isBare: attribute('bare') !== undefined,
    locked: attribute('locked'),
    prunable: attribute('prunable'),
  });
}

/** Git does not tell where it keeps its record of a worktree, but the record tells the path. */
async function readGitDirs({ commonDir }: RepositoryPlace): Promise<ReadonlyMap<string, string>> {
  const folder = join(await realPlace(commonDir), 'worktrees');
  const found = new Map<string, string>();
  for (const name of await namesIn(folder)) {
    const gitDir = join(folder, name);
    const text = await readUnlessAbsent(join(gitDir, 'gitdir'));
    if (text !== undefined) found.set(dirname(resolve(gitDir, text.replace(/\n$/, ''))), gitDir);
  }
  return found;
}

/** The record of the worktree at exactly this path. */
export async function findWorktree(
  git: Git,
  repository: RepositoryPlace,
  path: string,
): Promise<WorktreeEntry | undefined> {
  const place = await realPlace(path);
  // Reading the records is much cheaper than asking git, and most often there is none.
  if (!(await readGitDirs(repository)).has(place)) return undefined;
  return entryAt(await listWorktrees(git, repository), place);
}

/** A record as its folder tells it: for whoever needs neither HEAD nor branch, without a git. */
export interface WorktreeFolder {
  readonly gitDir: string;
  /** The reason that was given, perhaps ''. */
  readonly locked: string | undefined;
}

/** The record of the worktree at exactly this path; git is not asked. */
export async function findRecord(
  repository: RepositoryPlace,
  path: string,
): Promise<WorktreeFolder | undefined> {
  const gitDir = (await readGitDirs(repository)).get(await realPlace(path));
  if (gitDir === undefined) return undefined;
  return { gitDir, locked: (await readUnlessAbsent(join(gitDir, 'locked')))?.trim() };
}

export function entryAt(entries: readonly WorktreeEntry[], path: string): WorktreeEntry | undefined {
  return entries.find((entry) => entry.path === path && entry.gitDir !== undefined);
}

/** What the `.git` of a folder says: the record it belongs to, or that it is none of ours to know. */
export type FolderLink =
  | { readonly type: 'absent' }
  | { readonly type: 'unlinked'; readonly isEmpty: boolean }
  | { readonly type: 'repository' }
  | { readonly type: 'linked'; readonly gitDir: string; readonly isBare: boolean };

export async function readLink(path: string): Promise<FolderLink> {
  const found = await stat(path).catch(unlessAbsent);
  // A symbolic link to nowhere is something, too.
  if (found === undefined && (await lstat(path).catch(unlessAbsent)) === undefined) return { type: 'absent' };
  if (found?.isDirectory() !== true) return { type: 'unlinked', isEmpty: false };
  const names = await namesIn(path);
  if (!names.includes('.git')) return { type: 'unlinked', isEmpty: names.length === 0 };
  const text = await readUnlessAbsent(join(path, '.git'));
  const target = text === undefined ? undefined : /^gitdir: (.+?)\n?$/s.exec(text)?.[1];
  if (target === undefined) return { type: 'repository' };
  return { type: 'linked', gitDir: await realPlace(resolve(path, target)), isBare: names.length === 1 };
}

function unlessAbsent(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR'].some((code) => hasCode(error, code))) throw error;
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(unlessAbsent)) ?? [];
}

async function readUnlessAbsent(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'EISDIR')) return undefined;
    return unlessAbsent(error);
  });
}
