import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** SQLite takes an empty file for a database; nothing shorter than a header is one. */
const headerBytes = 100;
const notADatabase = 26;

/** What SQLite and Piton keep beside a database, and a store that a backup has replaced. */
const besideDatabase = /(?:-wal|-shm|-journal|\.ballast|\.replaced-\d{8}T\d{9}Z)$/;

/** Whether other stores lie in the folder of this one. */
export async function hasNeighbours(file: string): Promise<boolean> {
  const entries = await readdir(dirname(file), { withFileTypes: true });
  const others = entries.filter(
    (entry) => entry.isFile() && entry.name !== basename(file) && !besideDatabase.test(entry.name),
  );
  for (const { name } of others) if (await isDatabase(join(dirname(file), name))) return true;
  return false;
}

/**
 * Asks SQLite, and never opens the file itself: this process may have that store open too, and closing a descriptor of
 * a database or its -shm file gives up the locks that SQLite holds on it.
 */
async function isDatabase(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || found.size < headerBytes) return false;
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      database.prepare('PRAGMA schema_version').get();
      return true;
    } finally {
      database.close();
    }
  } catch (error) {
    return (error as { errcode?: number }).errcode !== notADatabase;
  }
}
