import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  crashPoint,
  hasCode,
  isPlainObject,
  makePrivateFolder,
  randomId,
  sha256,
  stateFolder,
} from '../../base/index.ts';
import type { StoreIdentity } from './store-identity.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a person has trusted: everything about one project that executes or grants, as it was. */
export interface TrustRecord {
  /** Where it really is, without links. */
  readonly root: string;
  readonly at: number;
  /** Their texts, by path: whoever changes one is shown what has changed. */
  readonly files: Readonly<Record<string, string>>;
  /** The store that was there, or was made here; absent where there was none. */
  readonly store?: StoreIdentity;
}

/** Undefined for what was never trusted, and for what cannot be understood: then it is asked again. */
export function readRecord(env: Environment, root: string): TrustRecord | undefined {
  const record = readFile(fileOf(env, root));
  return record?.root === root ? record : undefined;
}

export function allRecords(env: Environment): TrustRecord[] {
  return namesIn(stateFolder('trust', env))
    .filter((name) => name.endsWith('.json'))
    .map((name) => readFile(join(stateFolder('trust', env), name)))
    .filter((record) => record !== undefined)
    .sort((a, b) => (a.root < b.root ? -1 : 1));
}

/** All of it or nothing: half a record would be a smaller trust, or none. Throws `FOLDER_UNSAFE`. */
export function writeRecord(env: Environment, record: TrustRecord): void {
  const folder = stateFolder('trust', env);
  makePrivateFolder(folder);
  const file = fileOf(env, record.root);
  const draft = `${file}.${randomId(8)}`;
  try {
    writeFileSync(draft, JSON.stringify(record), { mode: 0o600, flag: 'wx', flush: true });
    crashPoint('before:trust.write');
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** False if there was none. */
export function removeRecord(env: Environment, root: string): boolean {
  try {
    rmSync(fileOf(env, root));
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

function fileOf(env: Environment, root: string): string {
  return join(stateFolder('trust', env), `${sha256(root).slice(0, 32)}.json`);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

function readFile(file: string): TrustRecord | undefined {
  try {
    const text = readOwn(file);
    const record: unknown = text === undefined ? undefined : JSON.parse(text);
    return isRecord(record) ? record : undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ELOOP') || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Undefined of what another user has written, or could have: where the state folder was moved, others may have been there first. */
function readOwn(file: string): string | undefined {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(descriptor);
    const isOurs = found.uid === (process.getuid?.() ?? found.uid) && (found.mode & 0o022) === 0;
    return found.isFile() && isOurs ? readFileSync(descriptor, 'utf8') : undefined;
  } finally {
    closeSync(descriptor);
  }
}

function isRecord(value: unknown): value is TrustRecord {
  return (
    isPlainObject(value) &&
    typeof value['root'] === 'string' &&
    typeof value['at'] === 'number' &&
    isPlainObject(value['files']) &&
    Object.values(value['files']).every((text) => typeof text === 'string')
  );
}
