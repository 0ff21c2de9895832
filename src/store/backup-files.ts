import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasCode, sha256 } from '../base/index.ts';

/** Where the backups of a store are. */
export interface BackupPlace {
  /** Of the store. */
  readonly file: string;
  /** Default: `backups` beside the store. */
  readonly folder?: string | undefined;
}

/** A backup that Piton made and named. */
export interface BackupFile {
  readonly file: string;
  readonly at: number;
  readonly bytes: number;
  /** Of a store that was brought to another format afterwards: the one that it had. */
  readonly format?: number;
}

export function backupsFolder({ file, folder }: BackupPlace): string {
  return folder ?? join(dirname(file), 'backups');
}

/** A folder that was named may be that of several stores: there, each is known by its path as well. */
function prefixOf({ file, folder }: BackupPlace): string {
  return folder === undefined ? `${basename(file)}.` : `${basename(file)}-${sha256(file).slice(0, 8)}.`;
}

/** `piton.db.20260102T030405678Z.backup`; before a change of format `piton.db.format-6.<time>.backup`. */
export function backupNamed(place: BackupPlace, at: number, format?: number): string {
  const time = new Date(at).toISOString().replaceAll(/[-:.]/g, '');
  const before = format === undefined ? '' : `format-${format}.`;
  return join(backupsFolder(place), `${prefixOf(place)}${before}${time}.backup`);
}

const ending = /^(?:format-(\d{1,6})\.)?(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.backup$/;

/** Newest first. Whatever else is in the folder, links and empty files too, is none of ours. */
export function listBackups(place: BackupPlace): BackupFile[] {
  return namesIn(backupsFolder(place))
    .flatMap((name) => backupOf(place, name) ?? [])
    .sort((a, b) => b.at - a.at);
}

/** What a process that was killed has left of backups it was making. Only whoever holds the lease of backups may remove it. */
export function listPartial(place: BackupPlace): string[] {
  const prefix = prefixOf(place);
  return namesIn(backupsFolder(place))
    .filter(
      (name) =>
        name.startsWith(prefix) && /\.backup\.[a-z0-9]{8}\.partial(?:-journal|-wal|-shm)?$/.test(name),
    )
    .map((name) => join(backupsFolder(place), name));
}

function backupOf(place: BackupPlace, name: string): BackupFile | undefined {
  const prefix = prefixOf(place);
  const match = name.startsWith(prefix) ? ending.exec(name.slice(prefix.length)) : null;
  if (match === null) return undefined;
  const [, format, year, month, day, hour, minute, second, ms] = match;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
  const file = join(backupsFolder(place), name);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (Number.isNaN(at) || found?.isFile() !== true || found.size === 0) return undefined;
  return { file, at, bytes: found.size, ...(format !== undefined && { format: Number(format) }) };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}
