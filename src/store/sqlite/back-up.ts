import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { asError, effect, hasCode, PitonError, randomId } from '../../base/index.ts';
import { damagedCopy, isFull, storeError, type StorePlace } from './faults.ts';
import { syncFolder } from './medium.ts';
import { findDamage, inWorker } from './upkeep.ts';

/** Of the disk that a backup is made on: a disk that a backup has filled would keep the store from being written. */
const leftFreeBytes = 16 * 1024 * 1024;

/**
 * Copies the database in one step, to another name; it gets its own when it is complete and synced, and only if nothing has that
 * name. `isChecked`: not if what was copied is damaged. Throws `BACKUP_EXISTS`, `BACKUP_FAILED`, `STORE_DAMAGED`.
 */
export async function backUp(place: StorePlace, given: string, { isChecked = false } = {}): Promise<void> {
  const target = resolve(given);
  const partial = `${target}.${randomId(8)}.partial`;
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw exists(target);
  assertRoom(place.file, target);
  try {
    await effect('backup.copied', () => copy(place.file, partial));
    if (isChecked) await assertSound(place, partial);
    await effect('backup.named', async () => giveName(partial, target));
  } catch (error) {
    throw backupError(error, place, target);
  } finally {
    for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(`${partial}${ending}`, { force: true });
  }
}

async function copy(file: string, partial: string): Promise<void> {
  closeSync(openSync(partial, 'wx', 0o600));
  await inWorker({ type: 'backup', file, target: partial }, []);
  syncFile(partial);
}

async function assertSound(place: StorePlace, copied: string): Promise<void> {
  const [first] = await findDamage({ file: copied }, { withChains: true });
  if (first !== undefined) throw damagedCopy(place, first);
}

/** A link appears at once, and only where nothing is. Some disks know none. */
export function giveName(partial: string, target: string): void {
  try {
    linkSync(partial, target);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw exists(target, error);
    if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw exists(target, error);
    renameSync(partial, target);
  }
  syncFolder(dirname(target));
}

function assertRoom(file: string, target: string): void {
  const [size, log] = ['', '-wal'].map(
    (ending) => statSync(`${file}${ending}`, { throwIfNoEntry: false })?.size ?? 0,
  );
  const needed = size! + log! + leftFreeBytes;
  let free = needed;
  try {
    const { bavail, bsize } = statfsSync(dirname(target));
    free = bavail * bsize;
  } catch {
    // Whoever writes there says what is wrong with the folder.
    return;
  }
  if (free >= needed) return;
  throw new PitonError(
    'BACKUP_FAILED',
    `For the backup ${target}, ${needed} bytes have to be free on its disk, and ${free} are; nothing was written.`,
    { file: target, needed, free, remedy: 'Free that much space there, or name a file on another disk.' },
  );
}

function backupError(error: unknown, place: StorePlace, target: string): PitonError {
  if (error instanceof PitonError) return error;
  const said = storeError(error, place);
  if (said.code === 'STORE_DAMAGED' || said.code === 'STORE_NOT_A_DATABASE' || said.code === 'STORE_BUSY')
    return said;
  const message = `The backup ${target} could not be written (${asError(error).message}); what was written of it was removed.`;
  return new PitonError('BACKUP_FAILED', message, {
    file: target,
    cause: error,
    remedy: isFull(error)
      ? 'Free space on its disk, or name a file on another one.'
      : 'Check that its folder exists, that you may write to it, and that its disk has room.',
  });
}

function exists(target: string, cause?: unknown): PitonError {
  return new PitonError('BACKUP_EXISTS', `There is a file ${target} already.`, {
    file: target,
    cause,
    remedy: 'Choose another name: a backup never overwrites anything.',
  });
}

export function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
