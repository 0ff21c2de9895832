import { open, readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

const header = Buffer.from('SQLite format 3\0');

/**
 * Whether other stores may keep their places in the same folder: then what this one does not know may be theirs, and in
 * use. Of stores that are no files nobody can tell.
 */
export async function mayShareFolder(url: string): Promise<boolean> {
  const [scheme, rest = ''] = url.split(/:(.*)/s);
  if (scheme === 'memory') return false;
  if (scheme !== 'sqlite') return true;
  const file = resolve(rest.replace(/\?[^?]*$/, ''));
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
