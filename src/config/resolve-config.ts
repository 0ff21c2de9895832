import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { PitonError } from '../base/index.ts';
import { resolveStore } from '../store/index.ts';
import type { Config, Surroundings } from './config.ts';
import { findRoot } from './find-root.ts';
import { readConfigFile, type FileSettings } from './read-config-file.ts';

const defaults = {
  durability: 'full',
  leaseMs: 30_000,
  graceMs: 5_000,
  secrets: [],
  inheritEnv: [],
  workspaces: {},
  remotes: {},
  delivery: {},
} as const;

/** Flags before environment before `.piton/config.yaml` before defaults. Throws `CONFIG_INVALID`. */
export async function resolveConfig(given: Surroundings): Promise<Config> {
  const { root, isProject } = findRoot(given);
  const folder = join(root, '.piton');
  const file = isProject ? await readConfigFile(join(folder, 'config.yaml')) : {};
  const typed = given.flags.store ?? (given.env['PITON_STORE'] || undefined);
  // A path is relative to whoever wrote it: the project's file to the project, what was typed to where that was.
  const { url: store, file: storeFile } =
    typed === undefined
      ? resolveStore(file.store ?? 'sqlite:.piton/piton.db', root)
      : resolveStore(typed, given.directory);
  return Object.freeze({
    ...defaults,
    ...file,
    ...durabilityOf(given.env['PITON_DURABILITY']),
    root,
    isProject,
    folder,
    text: file.text,
    workflows: join(folder, 'workflows'),
    // What lives as long as the store lives beside it.
    spool: join(storeFile === undefined ? folder : dirname(storeFile), 'spool'),
    logs: join(folder, 'logs'),
    store,
    storeFile,
    isStoreTyped: typed !== undefined,
    mirror: file.mirror === undefined ? undefined : resolve(root, file.mirror),
    agents: placeAgents(file.agents ?? {}, root),
    budgetPerDay: file.budgetPerDay,
    idleTimeoutMs: file.idleTimeoutMs,
  });
}

/** A program with a `/` in it is a path, and relative to the project; a mere name is looked for on the PATH. */
function placeAgents(agents: Config['agents'], root: string): Config['agents'] {
  const placed = Object.entries(agents).map(([name, settings]) => {
    const { executable } = settings;
    if (executable === undefined || !executable.includes('/')) return [name, settings];
    return [name, { ...settings, executable: resolve(root, executable.replace(/^~(?=\/)/, homedir())) }];
  });
  return Object.fromEntries(placed) as Config['agents'];
}

function durabilityOf(given: string | undefined): Pick<FileSettings, 'durability'> {
  if (given === undefined || given === '') return {};
  if (given === 'full' || given === 'process') return { durability: given };
  throw new PitonError('CONFIG_INVALID', `PITON_DURABILITY is ${given}; it must be full or process.`);
}
