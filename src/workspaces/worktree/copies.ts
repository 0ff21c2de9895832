import { cp, lstat, readdir, readFile, rename, rm } from 'node:fs/promises';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { crashPoint, PitonError } from '../../base/index.ts';
import type { PlaceRequest } from '../contract.ts';
import { findIgnored, type Git, type WorktreePlace } from '../git/index.ts';

type Copying = Pick<PlaceRequest, 'copy' | 'folder' | 'repository' | 'token'>;

/** What is there is left alone: the agent may have changed it. */
export async function copyFiles(git: Git, copying: Copying, worktree: WorktreePlace): Promise<void> {
  const { copy, folder, repository, token } = copying;
  for (const file of copy) {
    const source = join(folder, file);
    if (!existsSync(source)) throw missingFile(file, folder);
    const path = join(repository.prefix, file);
    const target = join(worktree.path, path);
    if (existsSync(target)) continue;
    await assertIgnored(git, worktree, { source, path });
    await copyWhole(source, target, `${target}.copied-${token}`);
  }
}

/** By renaming: after a crash, half of a copy would be taken for all of it. */
async function copyWhole(source: string, target: string, draft: string): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  await rm(draft, { recursive: true, force: true });
  // Links stay as they are written: made absolute, they would lead the agent into the user's own files.
  await cp(source, draft, { recursive: true, verbatimSymlinks: true });
  crashPoint('before:workspace.copied');
  await rename(draft, target);
}

interface Copy {
  readonly source: string;
  /** From the top of the worktree. */
  readonly path: string;
}

/** All that git does not ignore becomes a part of the result: a file with a password would be in the branch of the run. */
async function assertIgnored(git: Git, worktree: WorktreePlace, { source, path }: Copy): Promise<void> {
  const isFolder = statSync(source).isDirectory();
  const whole = isFolder ? `${path}/` : path;
  if ((await findIgnored(git, worktree, [whole])).has(whole)) return;
  const files = isFolder ? (await filesIn(source)).map((file) => join(path, file)) : [path];
  const ignored = await findIgnored(git, worktree, files);
  const seen = files.find((file) => !ignored.has(file));
  if (seen !== undefined) throw notIgnored(seen, worktree);
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}

/** Whether a file of the worktree is a copy that is still the same as where it came from. */
export async function isUnchangedCopy(copying: Copying, place: string, path: string): Promise<boolean> {
  const { copy, folder, repository } = copying;
  const file = relative(repository.prefix, path);
  if (!copy.some((name) => isWithin(relative(join(name), file)))) return false;
  const [own, theirs] = [join(place, path), join(folder, file)];
  const [found, source] = [await lstat(own), await lstat(theirs).catch(() => undefined)];
  if (!found.isFile() || source?.isFile() !== true || found.size !== source.size) return false;
  return (await readFile(own)).equals(await readFile(theirs));
}

function isWithin(way: string): boolean {
  return way !== '..' && !way.startsWith('../');
}

function missingFile(file: string, folder: string): PitonError {
  return new PitonError('SETUP_FAILED', `There is no ${file} in ${folder} to copy.`, {
    file,
    remedy: 'Take it out of `setup.copy`, or make it.',
  });
}

function notIgnored(file: string, { commonDir }: WorktreePlace): PitonError {
  const exclude = join(commonDir, 'info', 'exclude');
  const message = `${file} is to be copied, and git does not ignore it: it would become a part of the result.`;
  const remedy = `Add it to ${exclude}, or commit a .gitignore that names it; then \`piton retry\`.`;
  return new PitonError('SETUP_FAILED', message, { file, remedy });
}
