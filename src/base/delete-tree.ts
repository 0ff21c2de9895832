import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from './errors.ts';

/** With all that is in it; links are removed, not followed. */
export async function deleteTree(path: string): Promise<void> {
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 3 });
  try {
    await remove();
  } catch (error) {
    if (!hasCode(error, 'EACCES') && !hasCode(error, 'EPERM')) throw error;
    await makeWritable(path);
    await remove();
  }
}

/** Package caches like to make their folders read-only, and then nothing in them can be deleted. */
async function makeWritable(folder: string): Promise<void> {
  if (!(await lstat(folder)).isDirectory()) return;
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
  }
}
