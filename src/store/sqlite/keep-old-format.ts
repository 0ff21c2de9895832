import { closeSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { crashPoint, makePrivateFolder, randomId, systemClock } from '../../base/index.ts';
import { backupNamed, backupsFolder } from '../backup-files.ts';
import { giveName, syncFile } from './back-up.ts';
import type { StorePlace } from './faults.ts';

/**
 * A copy of a store as it is before its format is changed, among its backups. To be called by whoever keeps others from writing. It is
 * never removed by Piton: an earlier version can read it, and nothing else.
 */
export function keepOldFormat({ file, backups }: StorePlace, format: number): string {
  const place = { file, folder: backups };
  makePrivateFolder(backupsFolder(place));
  const target = backupNamed(place, systemClock.now(), format);
  const partial = `${target}.${randomId(8)}.partial`;
  try {
    closeSync(openSync(partial, 'wx', 0o600));
    crashPoint('store:before-kept');
    copyTo(file, partial);
    syncFile(partial);
    giveName(partial, target);
    crashPoint('store:after-kept');
  } finally {
    rmSync(partial, { force: true });
  }
  return target;
}

/** Through a connection of its own, which reads what is committed while another one holds the lock to write. */
function copyTo(file: string, target: string): void {
  const database = new DatabaseSync(file, { timeout: 0, defensive: true });
  try {
    database.prepare('VACUUM INTO ?').run(target);
  } finally {
    database.close();
  }
}
