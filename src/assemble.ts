import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { loadPlaces, makePlaces, type DeliveryOptions } from './assemble-places.ts';
import {
  assertOwnFolder,
  type Clock,
  nearest,
  ownIdentity,
  PitonError,
  randomId,
  sha256,
  stateFolder,
  systemClock,
} from './base/index.ts';
import { irreversibleReason, loadSchemaCheck } from './definition/index.ts';
import {
  joinRestored,
  Observers,
  type AgentSettings,
  type BackupPolicy,
  type JoinedRuns,
  type Observer,
} from './engine/index.ts';
import { Piton } from './library/index.ts';
import type { Budget, CleanupPolicy, InheritEnv, RemoteMachine } from './model/index.ts';
import { Sandbox } from './sandbox/index.ts';
import { LocalSpool } from './spool/local/index.ts';
import {
  listBackups,
  openStore,
  prepareRestore,
  resolveStore,
  type PreparedRestore,
  type Store,
  type StoreAddress,
} from './store/index.ts';

export type { DeliveryOptions } from './assemble-places.ts';

/** What `open` needs to know. All but the store have defaults; an option that does not exist is refused. */
export interface OpenOptions {
  /** `sqlite:<file>`, `memory:` for tests, another scheme that was registered, or an opened store of your own. */
  readonly store: string | Store;
  /** The folder where commands leave what they write; default: `spool` beside the store's file. */
  readonly spool?: string;
  /** Of which commands are given a part, and in which secrets are looked up; default: this process's. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** `full` (default) survives loss of power; `process` is faster and survives the death of any process. */
  readonly durability?: 'full' | 'process';
  /** A folder to which every commit is also written as readable JSON lines. */
  readonly mirror?: string;
  /** Told everything that happens, after it was committed. */
  readonly observers?: readonly Observer[];
  /** A driver that is silent for so long may be replaced by another; default 30000. */
  readonly leaseMs?: number;
  /** How long a task that was asked to stop may take; default 5000. */
  readonly graceMs?: number;
  /** An agent that prints nothing for so long, while no tool of it is at work, is interrupted; 0: never. Default 1800000. */
  readonly idleTimeoutMs?: number;
  /** How long an agent that has told its result may take to end; default 30000. */
  readonly lingerMs?: number;
  /** Of the JSON text of one output; default 16 MiB. */
  readonly maxOutputBytes?: number;
  /** How agents are installed and to be understood here, by name. */
  readonly agents?: Readonly<Record<string, AgentSettings>>;
  /** Names of environment variables whose values are written down nowhere. */
  readonly secrets?: readonly string[];
  /** What every command and agent gets of the environment, beyond the base and what it asks for itself: names, `AWS_*`, or true. */
  readonly inheritEnv?: InheritEnv;
  /** What agents may use up on one day, in all runs of the store together. */
  readonly budgetPerDay?: Budget;
  /** What becomes of places whose tasks have ended; default `remove-when-clean-else-archive`. */
  readonly cleanup?: CleanupPolicy;
  /** Names of folders that can be made again: where git ignores them, nothing is kept of them. Default: `node_modules` and the like. */
  readonly disposable?: readonly string[];
  /** Machines that are reached by ssh, where tasks can work, by the names that workflows have for them. */
  readonly remotes?: Readonly<Record<string, RemoteMachine>>;
  /** Where and how the work of runs is handed over; default: to the remote of the base, by `gh`. */
  readonly delivery?: DeliveryOptions;
  /** Asked before a run is begun, gone on with, merged or cleaned up after, or a session lent; whoever throws refuses it. */
  readonly permit?: () => Promise<void>;
  /**
   * What is done with a run whose journal is damaged, or has lost its end, when somebody goes on with it: `refuse` (default), or `repair`,
   * which takes it back to its last good commit and holds what may have run since.
   */
  readonly onDamage?: 'refuse' | 'repair';
  /** Backups of the store that are made by themselves while runs are driven; default: none. */
  readonly backups?: BackupPolicy;
  /** For tests that advance time themselves. */
  readonly clock?: Clock;
}

const defaults = {
  durability: 'full',
  observers: [],
  leaseMs: 30_000,
  graceMs: 5_000,
  idleTimeoutMs: 30 * 60_000,
  lingerMs: 30_000,
  maxOutputBytes: 16 * 1024 * 1024,
  agents: {},
  secrets: [],
  inheritEnv: [],
  cleanup: 'remove-when-clean-else-archive',
  disposable: ['node_modules', '.venv', '__pycache__', 'target'],
  remotes: {},
  delivery: {},
  onDamage: 'refuse',
  clock: systemClock,
} as const;

async function withMirror(store: Store, folder: string | undefined): Promise<Store> {
  return folder === undefined ? store : (await import('./store/mirror/index.ts')).mirrorStore(store, folder);
}

/**
 * Loads what a driver may come to need. While it lives, for hours, the package may be updated; a task for which something
 * had to be loaded then would fail.
 */
export async function loadForDriving(): Promise<void> {
  await Promise.all([loadPlaces(), loadSchemaCheck()]);
}

/**
 * Opens Piton on a store, which is made if it is not there. Nothing is driven by that. Close it when done: runs that are under way are let
 * go of, and can be resumed. Throws `OPTION_INVALID`, `NODE_TOO_OLD`, and what opening the store throws.
 */
export async function open(options: OpenOptions): Promise<Piton> {
  return new Piton(await makePorts(options));
}

/**
 * Puts a backup in the place of a store, which is kept under another name. What has happened since the backup is joined first: what
 * commands and agents have done is taken up from the spool, what else may have run is held. Default: the newest backup.
 * Throws `BACKUP_UNUSABLE`, `STORE_IN_USE`, `STORE_BUSY`, `STORE_UNSUPPORTED`.
 */
export async function restoreStore(options: OpenOptions, backup?: string): Promise<Restored> {
  const { store, backups, spool, ...others } = options;
  if (typeof store !== 'string') throw badOption('To restore a store, its URL must be given.');
  const address = resolveStore(store, process.cwd());
  const chosen = backup ?? newestBackup(address, backups?.folder);
  const prepared = await prepareRestore(address.url, { backup: chosen });
  try {
    const beside = spool ?? join(dirname(address.file!), 'spool');
    const ports = await makePorts({ ...others, store: prepared.url, spool: beside }, { isCopy: true });
    const joined = await joinRuns(ports, prepared.runs);
    return { backup: chosen, ...(await prepared.replace()), ...joined };
  } finally {
    await prepared.discard();
  }
}

async function joinRuns(
  ports: Awaited<ReturnType<typeof makePorts>>,
  ends: PreparedRestore['runs'],
): Promise<JoinedRuns> {
  try {
    return await joinRestored(ports, ends);
  } finally {
    await ports.closePlaces();
    await ports.store.close();
  }
}

function newestBackup({ url, file }: StoreAddress, folder: string | undefined): string {
  const [newest] = file === undefined ? [] : listBackups({ file, folder });
  if (newest !== undefined) return newest.file;
  throw new PitonError('BACKUP_UNUSABLE', `There is no backup of the store ${url}.`, {
    remedy: 'Name the file of one: piton store restore <file>.',
  });
}

/** What was restored from which backup, and what became of the runs. */
export interface Restored extends JoinedRuns {
  readonly backup: string;
  /** Where the store is now that was replaced; absent if there was none. */
  readonly aside?: string;
}

async function makePorts(
  options: OpenOptions,
  { isCopy = false } = {},
): Promise<ConstructorParameters<typeof Piton>[0]> {
  assertNode(process.versions.node);
  const { store: given, spool: folder, mirror, observers: told, ...config } = resolveOptions(options);
  const { durability, clock, graceMs } = config;
  const opened =
    typeof given === 'string'
      ? await openStore(given, { durability, clock, backups: config.backups?.folder, isCopy })
      : given;
  const spool = folder ?? spoolBeside(opened);
  assertOwnFolder(spool);
  const keys = spool === temporary ? join(spool, '.keys') : stateFolder('keys');
  const observers = new Observers();
  for (const observer of told) observers.add(observer);
  return {
    ...config,
    isHarmless: (command) => irreversibleReason(command) === undefined,
    ...makePlaces({ ...config, spool, keys }),
    spool: new LocalSpool({
      folder: spool,
      keys,
      graceMs,
      durability,
      store: nameOf(opened),
    }),
    sandbox: new Sandbox({ environment: config.environment, spool }),
    store: await withMirror(opened, mirror),
    observers,
    owner: Object.freeze({ ...ownIdentity(), instance: randomId() }),
  };
}

/** Tells it from others that share its spool. The folder is no part of it: both may be moved. A URL may hold a password. */
function nameOf({ file, url }: Store): string {
  return file === undefined ? sha256(url) : basename(file);
}

/** Beside the store. What is only in memory does not outlive this process, and neither does its spool. */
function spoolBeside({ file, durability }: Store): string {
  if (file !== undefined) return join(dirname(file), 'spool');
  return durability === 'none' ? temporarySpool() : resolve('.piton', 'spool');
}

/** One for all stores of this process that are only in memory: two of them may share their runs. */
function temporarySpool(): string {
  if (temporary === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'piton-spool-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    temporary = folder;
  }
  return temporary;
}
let temporary: string | undefined;

type Absent = 'mirror' | 'spool' | 'budgetPerDay' | 'permit' | 'backups';
type Resolved = Omit<Required<OpenOptions>, Absent> & Pick<OpenOptions, Absent>;

function resolveOptions(given: OpenOptions): Resolved {
  const others = ['store', 'spool', 'environment', 'mirror', 'budgetPerDay', 'permit', 'backups'];
  const known = [...Object.keys(defaults), ...others];
  for (const key of Object.keys(given)) if (!known.includes(key)) throw unknownOption(key, known);
  const options = { environment: process.env, ...defaults, ...given };
  if (!(options.leaseMs >= 100)) throw badOption(`leaseMs is ${options.leaseMs}; it must be at least 100.`);
  if (!(options.graceMs >= 0)) throw badOption(`graceMs is ${options.graceMs}; it must not be negative.`);
  for (const key of ['idleTimeoutMs', 'lingerMs'] as const)
    if (!(options[key] >= 0)) throw badOption(`${key} is ${options[key]}; it must not be negative.`);
  assertPolicy(options.backups);
  if (!['refuse', 'repair'].includes(options.onDamage))
    throw badOption(`onDamage is ${String(options.onDamage)}; it must be refuse or repair.`);
  if (!['full', 'process'].includes(options.durability)) {
    throw badOption(`durability is ${String(options.durability)}; it must be full or process.`);
  }
  return Object.freeze({ ...options, environment: Object.freeze({ ...options.environment }) });
}

function assertPolicy(backups: BackupPolicy | undefined): void {
  if (backups === undefined || (backups.everyMs > 0 && Number.isInteger(backups.keep) && backups.keep > 0))
    return;
  throw badOption('backups needs everyMs, more than 0, and keep, a whole number of at least 1.');
}

function assertNode(version: string): void {
  if (Number.parseInt(version, 10) >= 24) return;
  throw new PitonError('NODE_TOO_OLD', `Piton needs Node 24 or newer, and this is ${version}.`, {
    remedy: 'Run it with a newer Node.',
  });
}

function badOption(message: string): PitonError {
  return new PitonError('OPTION_INVALID', message);
}

function unknownOption(key: string, known: readonly string[]): PitonError {
  const suggestion = nearest(key, known);
  const remedy = suggestion === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${suggestion}?`;
  return new PitonError('OPTION_INVALID', `open has no option ${key}.`, { remedy });
}
