import { setKey } from '../base/index.ts';
import type { Layer } from './layers.ts';
import type { SettingPath } from './config-source.ts';

/** Settings that a variable can give: those with one value. `literal`: a number, true or false is meant as such. */
const variables: Readonly<Record<string, 'text' | 'literal'>> = {
  store: 'text',
  durability: 'text',
  mirror: 'text',
  lease: 'text',
  grace: 'text',
  'idle-timeout': 'text',
  'max-parallel': 'literal',
  'checkpoint.every': 'literal',
  'checkpoint.preserve': 'literal',
  'budget.per-day.usd': 'literal',
  'budget.per-day.tokens': 'literal',
  'workspaces.mode': 'text',
  'workspaces.keep': 'text',
  'workspaces.quota': 'text',
  'workspaces.cleanup': 'text',
  'delivery.remote': 'text',
  'delivery.command': 'text',
  'on-damage': 'text',
  'backups.every': 'text',
  'backups.keep': 'literal',
  'backups.folder': 'text',
  'retention.older-than': 'text',
  'retention.keep': 'literal',
  'retention.max-size': 'text',
  'retention.payloads-after': 'text',
};

/** `PITON_`, and the key in capitals, with `_` for whatever is no letter. */
export function variableOf(path: SettingPath): string {
  return `PITON_${path
    .join('_')
    .replace(/[^A-Za-z]/g, '_')
    .toUpperCase()}`;
}

/** What is empty is not set. */
export function environmentLayer(env: Readonly<Record<string, string | undefined>>): Layer {
  const value: Record<string, unknown> = {};
  for (const [key, kind] of Object.entries(variables)) {
    const path = key.split('.');
    const given = env[variableOf(path)];
    if (given === undefined || given === '') continue;
    setIn(value, path, kind === 'literal' ? literal(given) : given);
  }
  return { name: 'environment', setting: { value, path: [], placeOf: variableOf } };
}

function literal(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function setIn(
  target: Record<string, unknown>,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length === 0) return setKey(target, key, value);
  const inner = (target[key] ?? {}) as Record<string, unknown>;
  setKey(target, key, inner);
  setIn(inner, rest, value);
}
