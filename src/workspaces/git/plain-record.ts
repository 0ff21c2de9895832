import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../base/index.ts';

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
    } else if (!entry.isFile()) await rm(path, { force: true });
  }
}
