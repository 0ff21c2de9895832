import { realpathSync } from 'node:fs';
import { isInsideAttempt, PitonError, shellWord, visibleName, systemClock } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';

import { changesIn, type Change } from './changes.ts';
import { configFile, coveredFiles, type CoveredFiles } from './covered-files.ts';
import { readRecord, writeRecord, type TrustRecord } from './records.ts';
import { isSameStore, makeStoreFile, storeIdentity, type StoreIdentity } from './store-identity.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How a project stands to what was trusted of it. */
export interface Standing {
  /** Where it really is. */
  readonly root: string;
  readonly record: TrustRecord | undefined;
  readonly files: CoveredFiles;
  readonly changes: readonly Change[];
  /** The store as it was looked at: another in its place is not trusted with it. */
  readonly store: StoreIdentity | undefined;
  /** Runs are kept here that nobody has begun or trusted here. */
  readonly hasForeignStore: boolean;
  readonly isTrusted: boolean;
  /** Why a person is to look at it, in one sentence; also where nobody has to. */
  readonly reason: string;
}

/** For one call, and for whatever it starts: nothing is looked at, and nothing written down. */
export function isTrustedByCaller(env: Environment): boolean {
  return env['PITON_TRUST'] === '1';
}

/** `made`: the store that whoever asks has made itself. */
export function standingOf(config: Config, env: Environment, made?: StoreIdentity): Standing {
  const root = realpathSync(config.root);
  const record = readRecord(env, root);
  const files = coveredFiles(root, config.text);
  const changes = changesIn(record?.files ?? {}, files);
  const { store, hasForeignStore } = storeOf(config, record, made);
  const isKnown = record !== undefined || !config.isProject;
  return {
    root,
    record,
    files,
    changes,
    store,
    hasForeignStore,
    isTrusted: isKnown && changes.length === 0 && !hasForeignStore,
    reason: reasonOf({ record, changes, hasForeignStore }),
  };
}

/** What the caller has named is the caller's, and says nothing of the project's own. */
function storeOf(
  config: Config,
  record: TrustRecord | undefined,
  made: StoreIdentity | undefined,
): Pick<Standing, 'store' | 'hasForeignStore'> {
  if (config.isStoreTyped) return { store: record?.store, hasForeignStore: false };
  const store = storeIdentity(config);
  const isOwn = [record?.store, made].some((own) => isSameStore(store, own));
  return { store, hasForeignStore: store !== undefined && !isOwn };
}

/** For those who only read: whether what the configuration names may be used. */
export function isConfigTrusted({ root, text }: Config, env: Environment): boolean {
  if (isTrustedByCaller(env)) return true;
  const record = readRecord(env, realpathSync(root));
  return record !== undefined && record.files[configFile] === text;
}

/** Writes down that a project is trusted as it stands. */
export function trust({ root, files, store }: Standing, env: Environment): void {
  writeRecord(env, recordOf(root, files, store));
}

/**
 * Before Piton makes a store, or the project itself: what it makes is trusted, so that its owner is not asked about it. Which
 * store it is stands in the record before a run can stand in the store.
 */
export function trustWhatIsMade(config: Config, env: Environment, makesStore = true): void {
  if (isTrustedByCaller(env) || isInsideAttempt(env)) return;
  const standing = standingOf(config, env);
  if (!standing.isTrusted) return;
  const { root, record, files } = standing;
  const store = makesStore && isStoreLacking(config) ? makeStoreFile(config.storeFile) : record?.store;
  if (record !== undefined && isSameStore(store, record.store)) return;
  writeRecord(env, recordOf(root, files, store));
}

/** The store, still empty, if there is none: it is known by that, also where nobody trusts the project yet. */
export function makeStore(config: Config): StoreIdentity | undefined {
  return isStoreLacking(config) ? makeStoreFile(config.storeFile) : undefined;
}

function recordOf(root: string, files: CoveredFiles, store: StoreIdentity | undefined): TrustRecord {
  const record = { root, at: systemClock.now(), files: Object.fromEntries(files) };
  return store === undefined ? record : { ...record, store };
}

/** What the caller has named is the caller's, and may lie anywhere. */
function isStoreLacking(config: Config): config is Config & { readonly storeFile: string } {
  return config.storeFile !== undefined && !config.isStoreTyped && storeIdentity(config) === undefined;
}

export function trustNeeded(root: string, directory: string, why: string): PitonError {
  const there = directory === root || directory.startsWith(`${root}/`) ? '' : ` -C ${shellWord(root)}`;
  return new PitonError('TRUST_NEEDED', `${root} is not trusted: ${why}.`, {
    root,
    remedy: `Look at it, and say so: piton trust${there}. For one call, as in CI: PITON_TRUST=1.`,
  });
}

function reasonOf({
  record,
  changes,
  hasForeignStore,
}: Pick<Standing, 'record' | 'changes' | 'hasForeignStore'>): string {
  const files = changes.map(({ file }) => visibleName(file));
  const list =
    files.length > 4 ? `${files.slice(0, 4).join(', ')} and ${files.length - 4} more` : files.join(', ');
  if (record === undefined) {
    return files.length === 0
      ? 'nobody has said yet that it may execute anything here'
      : `nobody has said yet that what is in ${list} may be executed`;
  }
  if (files.length > 0)
    return `${list} ${files.length === 1 ? 'has' : 'have'} changed since you trusted the project`;
  return hasForeignStore
    ? 'its store holds runs that were not begun here'
    : 'nothing has changed since you trusted it';
}
