import { isPlainObject } from '../base/index.ts';
import type { Config } from './config.ts';
import type { SettingPath } from './config-source.ts';
import { mappingOf, type Layer } from './layers.ts';
import { settle } from './settle-config.ts';

/**
 * What a project that nobody trusts may say to commands that only read. Whatever is not in this list is not used: it may name a program, a
 * machine or a folder to write to, hand out variables, or remove something. Where its store is is judged apart.
 */
const harmless = [
  'version',
  'store',
  'durability',
  'lease',
  'grace',
  'idle-timeout',
  'checkpoint',
  'max-parallel',
  'agents.*.tools',
  'secrets',
  'budget',
  'workspaces',
].map((key) => key.split('.'));

/** The configuration as it is while its project is not trusted. */
export function withoutGrants(config: Config): Config {
  const layers = config.layers.map((layer) => (layer.name === 'project' ? harmlessPart(layer) : layer));
  return settle(config, layers);
}

function harmlessPart(layer: Layer): Layer {
  return { ...layer, setting: { ...layer.setting, value: pick(mappingOf(layer), []) } };
}

/** Without what is not harmless, and without mappings of which nothing is left. */
function pick(value: unknown, path: SettingPath): unknown {
  if (isHarmless(path)) return value;
  if (!isPlainObject(value)) return undefined;
  const left = Object.entries(value)
    .map(([key, entry]) => [key, pick(entry, [...path, key])] as const)
    .filter(([, entry]) => entry !== undefined);
  return left.length === 0 && path.length > 0 ? undefined : Object.fromEntries(left);
}

export function isHarmless(path: SettingPath): boolean {
  return harmless.some(
    (key) => key.length <= path.length && key.every((step, index) => step === '*' || step === path[index]),
  );
}
