import { copyFile, mkdir, readdir, readlink, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { effect, hasCode } from '../../base/index.ts';
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
