import { lstat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { hasCode } from '../../base/index.ts';
import { namesIn, readPlain } from '../files.ts';
import type { Git } from './git.ts';
import { tidyRecord } from './marker.ts';
import { ownPlace, realPlace, splitAtZeros, type RepositoryPlace } from './places.ts';
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

/** So many records are read at once: one by one, a thousand take long; all together, they are too many open files. */
const atOnce = 32;

/** Git does not tell where it keeps its record of a worktree, but the record tells the path. */
export async function readGitDirs(repository: RepositoryPlace): Promise<ReadonlyMap<string, string>> {
  const folder = await recordsOf(repository);
  const gitDirs = (await namesIn(folder)).map((name) => join(folder, name));
  const found = new Map<string, string>();
  for (let start = 0; start < gitDirs.length; start += atOnce) {
    const some = gitDirs.slice(start, start + atOnce);
    const paths = await Promise.all(some.map(pathOnRecord));
    for (const [index, path] of paths.entries()) if (path !== undefined) found.set(path, some[index]!);
  }
  return found;
}

/** The records of worktrees whose folders lie below a folder, by their paths. */
export async function recordsInside(
  repository: RepositoryPlace,
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const records = await readGitDirs(repository);
  return new Map([...records].filter(([path]) => path.startsWith(`${folder}/`)));
}

async function recordsOf({ commonDir }: RepositoryPlace): Promise<string> {
  return join(await realPlace(commonDir), 'worktrees');
}

async function pathOnRecord(gitDir: string): Promise<string | undefined> {
  const text = await readPlain(join(gitDir, 'gitdir'));
  return text === undefined ? undefined : dirname(resolve(gitDir, text.replace(/\n$/, '')));
}

/** Whether this is a record of the repository, and leads to that folder: a copy of a worktree has its link as well. */
export async function leadsTo(repository: RepositoryPlace, gitDir: string, path: string): Promise<boolean> {
  if (dirname(gitDir) !== (await recordsOf(repository))) return false;
  const recorded = await pathOnRecord(gitDir);
  return recorded !== undefined && (await ownPlace(recorded)) === path;
}

/** The record of the worktree at exactly this path. */
export async function findWorktree(
  git: Git,
  repository: RepositoryPlace,
  path: string,
): Promise<WorktreeEntry | undefined> {
  const place = await ownPlace(path);
  // Reading the records is much cheaper than asking git, and most often there is none.
  const record = await findRecord(repository, place);
  if (record === undefined) return undefined;
  await tidyRecord(record.gitDir);
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
  const place = await ownPlace(path);
  const gitDir = (await linkedRecord(repository, place)) ?? (await readGitDirs(repository)).get(place);
  if (gitDir === undefined) return undefined;
  return { gitDir, locked: (await readPlain(join(gitDir, 'locked')))?.trim() };
}

/** The folder itself names its record: then the others, which may be a thousand, need not be read. */
async function linkedRecord(repository: RepositoryPlace, path: string): Promise<string | undefined> {
  const link = await readLink(path);
  const isRecord = link.type === 'linked' && (await leadsTo(repository, link.gitDir, path));
  return isRecord ? link.gitDir : undefined;
}

/** The folders of all checkouts that have a branch checked out. */
export async function checkoutsOf(
  git: Git,
  repository: RepositoryPlace,
  branch: string,
): Promise<readonly string[]> {
  const records = [...(await readGitDirs(repository)), ['', repository.commonDir] as const];
  const heads = await Promise.all(records.map(([, gitDir]) => readPlain(join(gitDir, 'HEAD'))));
  // Git alone knows where it keeps them otherwise than in files.
  if (heads.includes(`ref: refs/heads/.invalid\n`)) {
    const entries = await listWorktrees(git, repository);
    return entries.filter((entry) => entry.branch === branch).map(({ path }) => path);
  }
  return records.filter((_, index) => heads[index]?.trimEnd() === `ref: ${branch}`).map(([path]) => path);
}

export function entryAt(entries: readonly WorktreeEntry[], path: string): WorktreeEntry | undefined {
  return entries.find((entry) => entry.path === path && entry.gitDir !== undefined);
}

/** What the `.git` of a folder says: the record it belongs to, or that it is none of ours to know. */
export type FolderLink =
  | { readonly type: 'absent' }
  /** `isFolder`: not a file, nor a link to somewhere else. */
  | { readonly type: 'unlinked'; readonly isEmpty: boolean; readonly isFolder: boolean }
  | { readonly type: 'repository' }
  | { readonly type: 'linked'; readonly gitDir: string; readonly isBare: boolean };

export async function readLink(path: string): Promise<FolderLink> {
  const found = await lstat(path).catch(unlessAbsent);
  if (found === undefined) return { type: 'absent' };
  // What a symbolic link leads to is not what was made here.
  if (!found.isDirectory()) return { type: 'unlinked', isEmpty: false, isFolder: false };
  const names = await namesIn(path);
  if (!names.includes('.git')) return { type: 'unlinked', isEmpty: names.length === 0, isFolder: true };
  const text = await readPlain(join(path, '.git'));
  const target = text === undefined ? undefined : /^gitdir: (.+?)\n?$/s.exec(text)?.[1];
  if (target === undefined) return { type: 'repository' };
  return { type: 'linked', gitDir: await realPlace(resolve(path, target)), isBare: names.length === 1 };
}

function unlessAbsent(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR'].some((code) => hasCode(error, code))) throw error;
}
