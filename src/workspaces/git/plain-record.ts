/**
 * Whoever works in a worktree can put a link or a pipe in the place of what git writes for it inside of the repository. What is ours is put in
 * order when it is looked at (`keepPlain`). That may be done again right after, and a worktree may be the user's own: so before git is
 * started, and before we copy what it has written, the few files that it writes on through a link are looked at once more, and it is
 * refused (`assertPlainRecord`). To put all in order there would take a walk through the record for each start of git.
 */
import { copyFile, mkdir, readdir, readlink, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { effect, hasCode, PitonError } from '../../base/index.ts';
import { findEntry } from '../files.ts';
import { keysName } from './names.ts';
import type { RepositoryPlace } from './places.ts';

/** Repositories of submodules, in which git is never at work for us. */
const leftAlone = new Set(['modules']);

/**
 * Removes what git itself puts nowhere in its records: the worktree's own task may write there. Git follows a link, and so writes over,
 * or appends to, whatever file of the user it leads to; a pipe keeps whoever reads it waiting for ever. Neither holds anything.
 */
export async function keepPlain(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].some((code) => hasCode(error, code))) return [];
    throw error;
  });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!leftAlone.has(entry.name)) await keepPlain(path);
    } else if (!entry.isFile() && !(await isLentKeys(path))) await rm(path, { force: true });
  }
}

/** What leads to the keys that the repository itself has for git-crypt: see `lendKeys`. */
async function isLentKeys(path: string): Promise<boolean> {
  const commonDir = dirname(dirname(dirname(path)));
  return basename(path) === keysName && (await readlink(path)) === join(commonDir, keysName);
}

/**
 * The same of the folders that loose objects lie in: git would write all that is new to wherever a link leads. What was written there
 * already, by another task perhaps, is brought back.
 */
export async function keepPlainObjects({ commonDir }: RepositoryPlace): Promise<void> {
  const objects = join(commonDir, 'objects');
  const entries = await readdir(objects, { withFileTypes: true });
  const names = new Set(entries.map(({ name }) => name));
  for (const entry of entries) {
    const made = /^([\da-f]{2})\.plain$/.exec(entry.name)?.[1];
    if (/^[\da-f]{2}$/.test(entry.name) && !entry.isDirectory()) await bringBack(objects, entry.name);
    // Whoever removed the link was killed then: it is whole.
    else if (made !== undefined && !names.has(made))
      await rename(join(objects, entry.name), join(objects, made));
  }
}

async function bringBack(objects: string, name: string): Promise<void> {
  const [at, made] = [join(objects, name), join(objects, `${name}.plain`)];
  await mkdir(made, { recursive: true });
  const found = await readdir(at, { withFileTypes: true }).catch(() => []);
  for (const entry of found.filter((one) => one.isFile() && /^[\da-f]{38,62}$/.test(one.name)))
    await copyFile(join(at, entry.name), join(made, entry.name));
  await effect('git.object-link-removed', () => rm(at, { force: true }));
  await rename(made, at);
}

/** Where git writes on through a link, or appends; whoever works in a worktree can put one there. HEAD is replaced, but read before. */
const writtenInPlace = ['index', 'HEAD', 'logs', 'logs/HEAD'];

/** Of the folder of a worktree inside of the repository. Throws GIT_FAILED: what Piton's git wrote there would be written elsewhere. */
export async function assertPlainRecord(gitDir: string): Promise<void> {
  await assertPlain(writtenInPlace.map((name) => join(gitDir, name)));
}

/** The same of refs of Piton's, which agents can write: their files, their logs, and the folders of both. */
export async function assertPlainRefs(commonDir: string, refs: readonly string[]): Promise<void> {
  const ways = refs.flatMap((ref) => {
    const parts = ref.split('/');
    // What is above is laid out by the user.
    return parts.slice(2).map((_, index) => parts.slice(0, index + 3).join('/'));
  });
  await assertPlain(
    [...new Set(ways)].flatMap((way) => [join(commonDir, way), join(commonDir, 'logs', way)]),
  );
}

async function assertPlain(files: readonly string[]): Promise<void> {
  const found = await Promise.all(files.map(findEntry));
  const file = files.find((_, index) => found[index]?.isFile() === false && !found[index].isDirectory());
  if (file === undefined) return;
  throw new PitonError('GIT_FAILED', `${file} is a link or a pipe, and no file of git.`, {
    reason: 'other',
    file,
    remedy: 'Piton has not made it: see who has, and where it leads; remove it, then try again.',
  });
}
