import type { Budget, InheritEnv } from '../model/index.ts';
import type { AgentSettings, Config, DeliverySettings, WorkspaceSettings } from './config.ts';
import type { RemoteMachine } from '../model/index.ts';
import {
  durationIn,
  entriesOf,
  invalid,
  itemsOf,
  parseSource,
  readText,
  textIn,
  unknownKey,
  wordIn,
  type Setting,
} from './config-source.ts';
import { readAgents } from './read-agents.ts';
import { readBudget } from './read-budget.ts';
import { readDelivery, readRemotes, readWorkspaces } from './read-places.ts';

/** What a file says; what it leaves out is absent. */
export interface FileSettings {
  readonly text?: string;
  readonly store?: string;
  readonly durability?: Config['durability'];
  readonly mirror?: string;
  readonly leaseMs?: number;
  readonly graceMs?: number;
  readonly idleTimeoutMs?: number;
  readonly agents?: Readonly<Record<string, AgentSettings>>;
  readonly secrets?: readonly string[];
  readonly inheritEnv?: InheritEnv;
  readonly budgetPerDay?: Budget;
  readonly workspaces?: WorkspaceSettings;
  readonly remotes?: Readonly<Record<string, RemoteMachine>>;
  readonly delivery?: DeliverySettings;
}

const readers: Readonly<Record<string, (setting: Setting) => FileSettings>> = {
  store: (setting) => ({ store: textIn(setting, 'a store URL, such as sqlite:.piton/piton.db') }),
  durability: (setting) => ({ durability: wordIn(setting, ['full', 'process']) }),
  mirror: (setting) => ({ mirror: textIn(setting, 'the path of a folder') }),
  lease: (setting) => ({ leaseMs: durationIn(setting, 100) }),
  grace: (setting) => ({ graceMs: durationIn(setting, 0) }),
  'idle-timeout': (setting) => ({ idleTimeoutMs: durationIn(setting, 0) }),
  agents: (setting) => ({ agents: readAgents(setting) }),
  secrets: (setting) => ({ secrets: [...new Set(itemsOf(setting).map(variableIn))] }),
  'inherit-env': (setting) => ({
    inheritEnv: setting.value === true ? true : [...new Set(itemsOf(setting).map(patternIn))],
  }),
  budget: readBudget,
  workspaces: (setting) => ({ workspaces: readWorkspaces(setting) }),
  remotes: (setting) => ({ remotes: readRemotes(setting) }),
  delivery: (setting) => ({ delivery: readDelivery(setting) }),
};

/** Reads `.piton/config.yaml`; nothing if it is not there. Throws `CONFIG_INVALID`, naming file and line. */
export async function readConfigFile(file: string): Promise<FileSettings> {
  const text = readText(file);
  if (text === undefined) return {};
  const source = await parseSource(text, file);
  if (source.value === null) return { text };
  const settings = entriesOf(source).map(([key, setting]) => {
    const reader = Object.hasOwn(readers, key) ? readers[key] : undefined;
    if (reader === undefined) throw unknownKey(setting, 'setting', Object.keys(readers));
    return reader(setting);
  });
  return Object.assign({ text }, ...settings) as FileSettings;
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
