import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { hasCode } from '../../base/index.ts';
import type { Git } from './git.ts';
import { inWorktree, type WorktreePlace } from './places.ts';

/** What a tree does not hold although it is in the folder, and why. */
export interface LeftOut {
  readonly path: string;
  readonly why: 'nested-repository' | 'too-large' | 'unreadable' | 'special-file' | 'invalid-path';
}

export interface Selection {
  /** Also what is ignored, apart from `caches`. */
  readonly includeIgnored: boolean;
  /** Folders that hold nothing but what can be got again, by name: `node_modules`. Only for ignored files. */
  readonly caches: readonly string[];
  readonly maxFileBytes: number;
  /** Somebody will soon look again: what is found out stays, in a file beside the worktree's index. */
  readonly isLookedAtAgain?: boolean;
  /** Nothing is taken of a file of git-lfs or git-crypt whose filter is missing. Else it is taken as it is, so that it is kept. */
  readonly needsFilters?: boolean;
  /** Whether a file that git does not have is passed over. */
  isElsewhere?(path: string): Promise<boolean>;
}

export interface ChangedPaths {
  /** As git wrote them, each character a byte: a path need not be text. */
  readonly paths: readonly string[];
  /** Folders now, and neither files nor submodules any more. */
  readonly folders: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

/** All paths whose content differs from the index, gone ones included. */
export async function findChangedPaths(
  git: Git,
  { place, indexFile, selection }: { place: WorktreePlace; indexFile: string; selection: Selection },
): Promise<ChangedPaths> {
  const setting = inWorktree(place, indexFile);
  const excludes = selection.includeIgnored
    ? selection.caches.map((name) => `--exclude=${name}/`)
    : ['--exclude-standard'];
  const args = ['ls-files', '-t', '--others', '--modified', '--deleted', '-z', ...excludes];
  const { bytes, stderr } = await git.run(args, setting);
  const lines = pathsIn(bytes);
  const others = lines.filter((line) => line.startsWith('? ')).map((line) => line.slice(2));
  const tracked = lines.filter((line) => !line.startsWith('? ')).map((line) => line.slice(2));
  const found = new Set([...(await withoutElsewhere(others, selection)), ...tracked]);
  const leftOut: LeftOut[] = unreadableFolders(stderr);
  const paths: string[] = [];
  const directories: string[] = [];
  for (const path of found) {
    const why = await whyNot(place, path, selection.maxFileBytes);
    if (why === 'folder') directories.push(path);
    else if (why === undefined) paths.push(path);
    else leftOut.push({ path: asText(path).replace(/\/$/, ''), why });
  }
  const submodules = directories.length === 0 ? none : await findSubmodules(git, place, indexFile);
  paths.push(...directories.filter((path) => submodules.has(path)));
  return { paths, folders: directories.filter((path) => !submodules.has(path)), leftOut };
}

async function withoutElsewhere(paths: string[], { isElsewhere }: Selection): Promise<string[]> {
  if (isElsewhere === undefined) return paths;
  const kept: string[] = [];
  for (const path of paths) if (path.endsWith('/') || !(await isElsewhere(asText(path)))) kept.push(path);
  return kept;
}

const none: ReadonlySet<string> = new Set();

function pathsIn(bytes: Buffer): string[] {
  return bytes
    .toString('latin1')
    .split('\0')
    .filter((path) => path !== '');
}

export function asText(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}

/** Git passes over a folder that it may not read, with no more than a warning. */
function unreadableFolders(stderr: string): LeftOut[] {
  const warnings = stderr.matchAll(/could not open directory '(.+?)\/?': /g);
  return [...warnings].map(([, path]) => ({ path: path!, why: 'unreadable' as const }));
}

async function whyNot(
  place: WorktreePlace,
  path: string,
  maxFileBytes: number,
): Promise<LeftOut['why'] | 'folder' | undefined> {
  // Git lists a repository inside of the tree as one entry, without looking into it.
  if (path.endsWith('/')) return 'nested-repository';
  const file = Buffer.concat([Buffer.from(`${place.path}/`), Buffer.from(path, 'latin1')]);
  try {
    const found = await lstat(file);
    if (found.isDirectory()) return 'folder';
    if (found.isSymbolicLink()) return undefined;
    if (!found.isFile()) return 'special-file';
    if (found.size > maxFileBytes) return 'too-large';
    await access(file, constants.R_OK);
    return undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    if (hasCode(error, 'EACCES')) return 'unreadable';
    throw error;
  }
}

async function findSubmodules(
  git: Git,
  place: WorktreePlace,
  indexFile: string,
): Promise<ReadonlySet<string>> {
  const { bytes } = await git.run(['ls-files', '--stage', '-z'], inWorktree(place, indexFile));
  const lines = bytes.toString('latin1').split('\0');
  const submodules = lines.filter((line) => line.startsWith('160000 '));
  return new Set(submodules.map((line) => line.slice(line.indexOf('\t') + 1)));
}
