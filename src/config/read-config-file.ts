import { parseDuration } from '../base/index.ts';
import type { Budget } from '../model/index.ts';
import type { AgentSettings, Config } from './config.ts';
import {
  entriesOf,
  invalid,
  itemsOf,
  readSource,
  unknownKey,
  wordIn,
  type Setting,
} from './config-source.ts';
import { readAgents } from './read-agents.ts';
import { readBudget } from './read-budget.ts';

/** What a file says; what it leaves out is absent. */
export interface FileSettings {
  readonly store?: string;
  readonly durability?: Config['durability'];
  readonly mirror?: string;
  readonly leaseMs?: number;
  readonly graceMs?: number;
  readonly agents?: Readonly<Record<string, AgentSettings>>;
  readonly secrets?: readonly string[];
  readonly budgetPerDay?: Budget;
}

const readers: Readonly<Record<string, (setting: Setting) => FileSettings>> = {
  store: (setting) => ({ store: textIn(setting, 'a store URL, such as sqlite:.piton/piton.db') }),
  durability: (setting) => ({ durability: wordIn(setting, ['full', 'process']) }),
  mirror: (setting) => ({ mirror: textIn(setting, 'the path of a folder') }),
  lease: (setting) => ({ leaseMs: durationIn(setting, 100) }),
  grace: (setting) => ({ graceMs: durationIn(setting, 0) }),
  agents: (setting) => ({ agents: readAgents(setting) }),
  secrets: (setting) => ({ secrets: [...new Set(itemsOf(setting).map(variableIn))] }),
  budget: readBudget,
};

/** Reads `.piton/config.yaml`; nothing if it is not there. Throws `CONFIG_INVALID`, naming file and line. */
export async function readConfigFile(file: string): Promise<FileSettings> {
  const source = await readSource(file);
  if (source === undefined || source.value === null) return {};
  const settings = entriesOf(source).map(([key, setting]) => {
    const reader = Object.hasOwn(readers, key) ? readers[key] : undefined;
    if (reader === undefined) throw unknownKey(setting, 'setting', Object.keys(readers));
    return reader(setting);
  });
  return Object.assign({}, ...settings) as FileSettings;
}

function textIn(setting: Setting, what: string): string {
  const { value } = setting;
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(setting, `must be ${what}`);
}

function durationIn(setting: Setting, least: number): number {
  const ms = typeof setting.value === 'string' ? parseDuration(setting.value) : undefined;
  if (ms === undefined) throw invalid(setting, 'must be a time span, such as 30s');
  if (ms < least) throw invalid(setting, `must be at least ${least}ms`);
  return ms;
}

/** Whoever wrote the secret itself here must not see it again in an error. */
function variableIn(setting: Setting): string {
  const { value } = setting;
  if (typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value)) return value;
  const remedy = 'Write the name of the variable, never the secret itself.';
  throw invalid(setting, 'must be the name of an environment variable', remedy);
}
