import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { resolveStore } from '../store/index.ts';
import type { BackupSettings, Config } from './config.ts';
import { mergeLayers, type Layer, type LayerName } from './layers.ts';
import { readSettings } from './read-config-file.ts';

/** Where a configuration is looked for, and what was read there. */
export type Found = Pick<
  Config,
  'root' | 'isProject' | 'folder' | 'directory' | 'text' | 'userText' | 'files'
>;

const usual = { secrets: [], inheritEnv: [], agents: {}, workspaces: {}, remotes: {}, delivery: {} } as const;
const usualBackups = { everyMs: 24 * 3_600_000, keep: 7 } as const;

/** What all layers together come to. */
export function settle(found: Found, layers: readonly Layer[]): Config {
  const { root, isProject, folder, directory, text, userText, files } = found;
  const merged = mergeLayers(layers);
  const settings = readSettings(merged.setting);
  const from = (key: string): LayerName => merged.layerOf([key])?.name ?? 'default';
  // A path is relative to whoever wrote it: what was typed to where that was, all else to the project.
  const base = (key: string): string =>
    from(key) === 'environment' || from(key) === 'flag' ? directory : root;
  const { url: store, file: storeFile } = resolveStore(settings.store!, base('store'));
  const { mirror } = settings;
  return Object.freeze({
    ...usual,
    ...settings,
    root,
    isProject,
    folder,
    directory,
    text,
    userText,
    files,
    layers,
    durability: settings.durability!,
    leaseMs: settings.leaseMs!,
    graceMs: settings.graceMs!,
    idleTimeoutMs: settings.idleTimeoutMs!,
    checkpoint: settings.checkpoint!,
    maxParallel: settings.maxParallel,
    budgetPerDay: settings.budgetPerDay,
    retention: settings.retention,
    workflows: join(folder, 'workflows'),
    // What lives as long as the store lives beside it.
    spool: join(storeFile === undefined ? folder : dirname(storeFile), 'spool'),
    logs: join(folder, 'logs'),
    store,
    storeFile,
    isStoreTyped: isOfUser(from('store'), storeFile, root),
    mirror: mirror === undefined ? undefined : resolve(base('mirror'), atHome(mirror)),
    agents: placeAgents(settings.agents ?? {}, root),
    onDamage: settings.onDamage!,
    backups: placeBackups(settings.backups, base('backups')),
  });
}

/** What the user's own file names inside of a project is as much the project's as the usual one: somebody may have put it there. */
function isOfUser(from: LayerName, storeFile: string | undefined, root: string): boolean {
  if (from === 'environment' || from === 'flag') return true;
  return from === 'user' && storeFile?.startsWith(root + sep) !== true;
}

/** A program with a `/` in it is a path, and relative to the project; a mere name is looked for on the PATH. */
function placeAgents(agents: Config['agents'], root: string): Config['agents'] {
  const placed = Object.entries(agents).map(([name, settings]) => {
    const { executable } = settings;
    if (executable === undefined || !executable.includes('/') || isAbsolute(executable))
      return [name, settings];
    return [name, { ...settings, executable: resolve(root, atHome(executable)) }];
  });
  return Object.fromEntries(placed) as Config['agents'];
}

/** Its folder is relative to the project, as a path of the store is. */
function placeBackups(backups: Partial<BackupSettings> | undefined, base: string): Config['backups'] {
  if (backups === undefined) return undefined;
  const { folder } = backups;
  return {
    ...usualBackups,
    ...backups,
    ...(folder !== undefined && { folder: resolve(base, atHome(folder)) }),
  };
}

function atHome(path: string): string {
  return path.replace(/^~(?=\/)/, homedir());
}
