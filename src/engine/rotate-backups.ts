import { rmSync } from 'node:fs';
import { effect, makePrivateFolder, randomId } from '../base/index.ts';
import {
  backupNamed,
  backupsFolder,
  listBackups,
  listPartial,
  type BackupFile,
  type BackupPlace,
} from '../store/index.ts';
import { takeLease } from './leases.ts';
import type { BackupPolicy, EnginePorts } from './options.ts';

export type BackupPorts = Pick<EnginePorts, 'store' | 'clock' | 'owner' | 'leaseMs'>;

/**
 * Makes a backup if the last one is older than the policy wants, and removes the oldest of those that it made by itself. Of several
 * processes one does it. Gives the file, or undefined if none was due. Throws `STORE_DAMAGED`, and removes nothing then: the older ones
 * are the sound ones.
 */
export async function rotateBackups(ports: BackupPorts, policy: BackupPolicy): Promise<string | undefined> {
  const { store, clock } = ports;
  if (store.file === undefined) return undefined;
  const place: BackupPlace = { file: store.file, folder: policy.folder };
  if (dueInMs(place, policy, clock.now()) > 0) return undefined;
  const { taken, lease } = await takeLease(ports, { name: 'backup', token: randomId(26) });
  if (!taken) return undefined;
  try {
    // Whoever had the lease until now may have made it.
    if (dueInMs(place, policy, clock.now()) > 0) return undefined;
    return await makeNext(ports, place, policy);
  } finally {
    await store.releaseLease(lease).catch(() => {});
  }
}

/** Makes one now. Without a name, it counts as one that was made by itself. Throws `BACKUP_EXISTS`, `BACKUP_FAILED`, `STORE_UNSUPPORTED`. */
export async function backUpStore({ store, clock, backups }: EnginePorts, given?: string): Promise<string> {
  const place = { file: store.file ?? '', folder: backups?.folder };
  const file = given ?? backupNamed(place, clock.now());
  if (given === undefined && store.file !== undefined) makePrivateFolder(backupsFolder(place));
  await store.backup(file, { isChecked: given === undefined });
  return file;
}

async function makeNext(
  { store, clock }: BackupPorts,
  place: BackupPlace,
  policy: BackupPolicy,
): Promise<string> {
  makePrivateFolder(backupsFolder(place));
  for (const left of listPartial(place)) rmSync(left, { force: true });
  const file = backupNamed(place, clock.now());
  await store.backup(file, { isChecked: true });
  for (const old of rotating(place, clock.now()).slice(policy.keep))
    await effect('backup.removed', async () => rmSync(old.file, { force: true }));
  return file;
}

/** How long until the next one is due; 0 if it is. */
export function dueInMs(place: BackupPlace, { everyMs }: BackupPolicy, now: number): number {
  const [newest] = rotating(place, now);
  return newest === undefined ? 0 : Math.max(0, newest.at + everyMs - now);
}

/** Not those from before a change of format, which nobody can make again; nor what a clock that went wrong has named. */
function rotating(place: BackupPlace, now: number): BackupFile[] {
  return listBackups(place).filter(({ format, at }) => format === undefined && at <= now);
}
