import type { Budget, CheckpointPolicy, InheritEnv } from '../model/index.ts';
import type {
  AgentSettings,
  BackupSettings,
  Config,
  DeliverySettings,
  RetentionSettings,
  WorkspaceSettings,
} from './config.ts';
import type { RemoteMachine } from '../model/index.ts';
import {
  countIn,
  durationIn,
  entriesOf,
  invalid,
  itemsOf,
  readEach,
  textIn,
  unknownKey,
  wordIn,
  type Setting,
} from './config-source.ts';
import { readAgents } from './read-agents.ts';
import { readBackups } from './read-backups.ts';
import { readBudget } from './read-budget.ts';
import { readCheckpoint } from './read-checkpoint.ts';
import { isSettingKey, settingKeys, type SettingKey } from './setting-keys.ts';
import { readDelivery, readRemotes, readWorkspaces } from './read-places.ts';
import { readRetention } from './read-retention.ts';

/** What a file says; what it leaves out is absent. */
export interface FileSettings {
  readonly store?: string;
  readonly durability?: Config['durability'];
  readonly mirror?: string;
  readonly leaseMs?: number;
  readonly graceMs?: number;
  readonly idleTimeoutMs?: number;
  readonly checkpoint?: CheckpointPolicy;
  readonly maxParallel?: number;
  readonly agents?: Readonly<Record<string, AgentSettings>>;
  readonly secrets?: readonly string[];
  readonly inheritEnv?: InheritEnv;
  readonly budgetPerDay?: Budget;
  readonly workspaces?: WorkspaceSettings;
  readonly remotes?: Readonly<Record<string, RemoteMachine>>;
  readonly delivery?: DeliverySettings;
  readonly backups?: Partial<BackupSettings> | undefined;
  readonly onDamage?: Config['onDamage'];
  readonly retention?: RetentionSettings;
}

/** What each key means. Which version the file has is judged before any other key is looked at. */
const readers: Readonly<Record<SettingKey, (setting: Setting) => FileSettings>> = {
  version: () => ({}),
  store: (setting) => ({ store: textIn(setting, 'a store URL, such as sqlite:.piton/piton.db') }),
  durability: (setting) => ({ durability: wordIn(setting, ['full', 'process']) }),
  mirror: (setting) => ({ mirror: textIn(setting, 'the path of a folder') }),
  lease: (setting) => ({ leaseMs: durationIn(setting, 100) }),
  grace: (setting) => ({ graceMs: durationIn(setting, 0) }),
  'idle-timeout': (setting) => ({ idleTimeoutMs: durationIn(setting, 0) }),
  checkpoint: (setting) => ({ checkpoint: readCheckpoint(setting) }),
  'max-parallel': (setting) => ({ maxParallel: countIn(setting) }),
  agents: (setting) => ({ agents: readAgents(setting) }),
  secrets: (setting) => ({ secrets: [...new Set(readEach(itemsOf(setting), variableIn))] }),
  'inherit-env': (setting) => ({
    inheritEnv: setting.value === true ? true : [...new Set(readEach(itemsOf(setting), patternIn))],
  }),
  budget: readBudget,
  workspaces: (setting) => ({ workspaces: readWorkspaces(setting) }),
  remotes: (setting) => ({ remotes: readRemotes(setting) }),
  delivery: (setting) => ({ delivery: readDelivery(setting) }),
  'on-damage': (setting) => ({ onDamage: wordIn(setting, ['refuse', 'repair']) }),
  backups: (setting) => ({ backups: readBackups(setting) }),
  retention: (setting) => ({ retention: readRetention(setting) }),
};

/** All that a file, or several of them merged, say. Throws one `CONFIG_INVALID` for everything that is wrong. */
export function readSettings(source: Setting): FileSettings {
  if (source.value === null) return {};
  const read = readEach(entriesOf(source), ([key, setting]) => {
    if (!isSettingKey(key)) throw unknownKey(setting, 'setting', settingKeys);
    return readers[key](setting);
  });
  return Object.assign({}, ...read) as FileSettings;
}

function patternIn(setting: Setting): string {
  const { value } = setting;
  if (typeof value === 'string' && /^[A-Za-z_]\w*\*?$/.test(value)) return value;
  const remedy = 'Write names, `AWS_*` for all that begin so, or true for all.';
  throw invalid(setting, 'must be the name of an environment variable, or the beginning of names', remedy);
}

/** Whoever wrote the secret itself here must not see it again in an error. */
function variableIn(setting: Setting): string {
  const { value } = setting;
  if (typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value)) return value;
  const remedy = 'Write the name of the variable, never the secret itself.';
  throw invalid(setting, 'must be the name of an environment variable', remedy);
}
