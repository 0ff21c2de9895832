import { open, rename, rm } from 'node:fs/promises';
import { randomId } from '../../base/index.ts';
import type { Git } from './git.ts';

/** By renaming: the text is there as a whole or not at all. */
export async function replaceFile(git: Git, file: string, text: string): Promise<void> {
  const draft = `${file}.${randomId()}`;
  const handle = await open(draft, 'wx');
  try {
    await handle.writeFile(text);
    if (git.durability === 'full') await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file).catch(async (error: unknown) => {
    await rm(draft, { force: true });
    throw error;
  });
}
