import { open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const header = Buffer.from('SQLite format 3\0');

/** Whether other stores lie in the folder of this one. */
export async function hasNeighbours(file: string): Promise<boolean> {
  const entries = await readdir(dirname(file), { withFileTypes: true });
  const others = entries.filter((entry) => entry.isFile() && entry.name !== basename(file));
  for (const { name } of others) if (await isDatabase(join(dirname(file), name))) return true;
  return false;
}

async function isDatabase(file: string): Promise<boolean> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(header.length), 0, header.length, 0);
    return bytesRead === header.length && buffer.equals(header);
  } finally {
    await handle.close();
  }
}
