import { hasCode, PitonError } from '../../base/index.ts';
import { listBackups, type BackupFile, type BackupPlace } from '../backup-files.ts';

/** SQLite's primary result codes, as far as they mean something to us. The extended ones carry them in their low byte. */
const resultCode = {
  error: 1,
  busy: 5,
  locked: 6,
  readOnly: 8,
  schema: 17,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  constraint: 19,
  notADatabase: 26,
} as const;

/** A row that says what no row of ours can say: the medium contradicts itself. */
export class Contradiction extends Error {
  override readonly name = 'Contradiction';
}

/** Another connection is in the way of something SQLite reports by a value, not by an error. */
export class Blocked extends Error {
  override readonly name = 'Blocked';
}

export function isBusy(error: unknown): boolean {
  if (error instanceof Blocked) return true;
  const code = primaryCode(error);
  return code === resultCode.busy || code === resultCode.locked;
}

export function isFull(error: unknown): boolean {
  return primaryCode(error) === resultCode.full || hasCode(error, 'STORE_FULL');
}

/** A store, and where its backups are. */
export interface StorePlace {
  readonly file: string;
  /** Default: beside it. */
  readonly backups?: string | undefined;
}

/** Whatever was thrown while working on a store, in words for people. What has them already passes through. */
export function storeError(error: unknown, place: StorePlace): PitonError {
  if (error instanceof PitonError) return error;
  const { file } = place;
  const meaning = meaningOf(error);
  const { code, what } = meaning;
  const said = error instanceof Error ? error.message : String(error);
  const remedy = wantsBackup.has(code) ? damageRemedy(place, meaning.remedy) : meaning.remedy;
  return new PitonError(code, `The store ${file} ${what} (${said}).`, { file, remedy, cause: error });
}

/** A copy that would be of no use: what was copied is damaged itself. */
export function damagedCopy(place: StorePlace, damage: string): PitonError {
  const { file } = place;
  return new PitonError(
    'STORE_DAMAGED',
    `The store ${file} is damaged (${damage}): no backup was made of it.`,
    {
      file,
      damage,
      remedy: damageRemedy(place, damaged.remedy),
    },
  );
}

const wantsBackup: ReadonlySet<string> = new Set(['STORE_DAMAGED', 'STORE_NOT_A_DATABASE']);

/** Names the newest backup, if there is one. */
function damageRemedy({ file, backups }: StorePlace, otherwise: string): string {
  const newest = newestBackup({ file, folder: backups });
  if (newest === undefined) return otherwise;
  const since = new Date(newest.at).toISOString();
  return `Run piton verify; if it cannot be read or mended, go back to the newest backup, of ${since} (${newest.file}): piton store restore`;
}

function newestBackup(place: BackupPlace): BackupFile | undefined {
  try {
    return listBackups(place)[0];
  } catch {
    // What cannot be looked at is no reason to say less of the damage.
    return undefined;
  }
}

/** The medium failed while committing, and again when asked what became of it. */
export function uncertain(file: string, cause: unknown): PitonError {
  return new PitonError(
    'STORE_UNCERTAIN',
    `The store ${file} failed while committing, and cannot be asked whether the commit is in it.`,
    {
      file,
      cause,
      remedy: 'Look after the disk, then resume: what was committed is found by reading the journal.',
    },
  );
}

interface Meaning {
  readonly code: string;
  readonly what: string;
  readonly remedy: string;
}

const damaged: Meaning = {
  code: 'STORE_DAMAGED',
  what: 'is damaged',
  remedy:
    'Keep a copy of it and of its -wal file, run piton verify, and restore a backup if it cannot be read.',
};
const failed: Meaning = {
  code: 'STORE_FAILED',
  what: 'could not be read or written',
  remedy: 'Look after the disk (its logs, its free space, its limits), then try again.',
};

const meanings: Readonly<Record<number, Meaning>> = {
  [resultCode.busy]: {
    code: 'STORE_BUSY',
    what: 'is kept locked by another process',
    remedy: 'Find it (fuser, lsof) and let it finish, then try again.',
  },
  [resultCode.readOnly]: {
    code: 'STORE_READ_ONLY',
    what: 'cannot be written to',
    remedy:
      'Check the owner and permissions of the file and its folder, and that the disk is mounted for writing.',
  },
  [resultCode.full]: {
    code: 'STORE_FULL',
    what: 'has no room left; nothing was written',
    remedy: 'Free space on its disk, raise its max-bytes, or remove old runs (`prune` of the library).',
  },
  [resultCode.cannotOpen]: {
    code: 'STORE_UNREADABLE',
    what: 'cannot be opened',
    remedy: 'Check that it is a file, and that you may read and write it and its folder.',
  },
  [resultCode.notADatabase]: {
    code: 'STORE_NOT_A_DATABASE',
    what: 'is not an SQLite database',
    remedy: 'Check the path; if this was a store, its beginning was overwritten: restore a backup.',
  },
  [resultCode.corrupt]: damaged,
  // Our SQL is constant and was prepared against our schema: if it does not fit, the file is not what we wrote.
  [resultCode.error]: damaged,
  [resultCode.schema]: damaged,
  [resultCode.constraint]: damaged,
};

function meaningOf(error: unknown): Meaning {
  // Node refuses integers beyond 2^53; we never write such.
  if (error instanceof Contradiction || hasCode(error, 'ERR_OUT_OF_RANGE')) return damaged;
  if (isBusy(error)) return meanings[resultCode.busy]!;
  return meanings[primaryCode(error) ?? -1] ?? failed;
}

function primaryCode(error: unknown): number | undefined {
  if (!hasCode(error, 'ERR_SQLITE_ERROR')) return undefined;
  const extended: unknown = (error as { errcode?: unknown }).errcode;
  return typeof extended === 'number' ? extended & 0xff : undefined;
}
