import { nearest, PitonError, setKey, type Json, type JsonObject } from '../../../base/index.ts';
import type { RunSettings } from '../../../library/index.ts';
import { readMetadataFile, readValue, splitPair } from './read-about.ts';

/** The keys of `piton set`, with what each takes, for people. */
export const settingKeys = [
  'name',
  'group',
  'note',
  'label.<key>',
  'metadata.<key>',
  'metadata',
  'max-parallel',
  'max-steps',
  'budget.usd',
  'budget.tokens',
] as const;

interface Reading {
  readonly settings: Record<string, unknown>;
  readonly directory: string;
}

type Read = (reading: Reading, text: string, key: string) => void;

/** `key=value` each; an empty value removes, a later one wins. Throws `USAGE_INVALID`. */
export function readSettings(pairs: readonly string[], directory: string): RunSettings {
  const settings: Record<string, unknown> = {};
  for (const pair of pairs) {
    const [key, text] = splitPair(pair, 'piton set <run> name="Release 1.2"');
    readerOf(key)({ settings, directory }, text, key);
  }
  return settings as RunSettings;
}

function readerOf(key: string): Read {
  const [, family = '', rest] = /^(label|metadata)\.(.+)$/.exec(key) ?? [];
  if (rest !== undefined) return families[family]!;
  const read = Object.hasOwn(readers, key) ? readers[key] : undefined;
  if (read === undefined) throw unknown(key);
  return read;
}

const text: Read = ({ settings }, given, key) => {
  settings[key] = given === '' ? null : given;
};

const limit =
  (name: string, within?: string): Read =>
  ({ settings }, given, key) => {
    const value = given === '' ? null : readLimit(key, given);
    if (within === undefined) settings[name] = value;
    else settings[within] = { ...(settings[within] as object | undefined), [name]: value };
  };

const readers: Readonly<Record<string, Read>> = {
  name: text,
  group: text,
  note: text,
  metadata({ settings, directory }, given) {
    if (!given.startsWith('@')) throw wrong('metadata', given, 'a file: metadata=@file.json');
    settings['metadata'] = {
      ...entriesIn(settings, 'metadata'),
      ...readMetadataFile(given.slice(1), directory),
    };
  },
  'max-parallel': limit('maxParallel'),
  'max-steps': limit('maxSteps'),
  'budget.usd': limit('usd', 'budget'),
  'budget.tokens': limit('tokens', 'budget'),
};

const families: Readonly<Record<string, Read>> = {
  label: ({ settings }, given, key) => setEntry(settings, ['labels', key], given === '' ? null : given),
  metadata: ({ settings }, given, key) =>
    setEntry(settings, ['metadata', key], given === '' ? null : readValue(given)),
};

/** `at`: the setting, and the key as it was written. */
function setEntry(settings: Reading['settings'], [name, key]: [string, string], value: Json): void {
  const entries = { ...entriesIn(settings, name) };
  setKey(entries, key.slice(key.indexOf('.') + 1), value);
  settings[name] = entries;
}

function entriesIn(settings: Reading['settings'], name: string): JsonObject {
  return (settings[name] ?? {}) as JsonObject;
}

const factors: Readonly<Record<string, number>> = { '': 1, k: 1_000, M: 1_000_000 };

/** `2`, `$2.50`, `200k`, `none`. */
function readLimit(key: string, given: string): number | 'none' {
  if (given === 'none') return 'none';
  const { pattern, wanted } = limits[key] ?? { pattern: /^(\d+)$/, wanted: 'a whole number, or none' };
  const [, number, size = ''] = pattern.exec(given.trim()) ?? [];
  if (number === undefined) throw wrong(key, given, wanted);
  return Number((Number(number) * factors[size]!).toFixed(6));
}

const limits: Readonly<Record<string, { readonly pattern: RegExp; readonly wanted: string }>> = {
  'budget.usd': { pattern: /^\$?(\d+(?:\.\d+)?)$/, wanted: 'an amount of dollars, or none' },
  'budget.tokens': {
    pattern: /^(\d+(?:\.\d+)?)([kM]?)$/,
    wanted: 'a number of tokens, such as 200000 or 200k, or none',
  },
};

function wrong(key: string, given: string, wanted: string): PitonError {
  return new PitonError('USAGE_INVALID', `${key} is ${given}; it must be ${wanted}.`, {
    remedy: `Write ${key}=<value>, or ${key}= to take it back.`,
  });
}

function unknown(key: string): PitonError {
  const family = /^(.*?)\./.exec(key)?.[1];
  const close = nearest(key, settingKeys) ?? (family === 'labels' ? 'label.<key>' : undefined);
  return new PitonError('USAGE_INVALID', `There is no setting ${key}.`, {
    remedy: close === undefined ? `Known are ${settingKeys.join(', ')}.` : `Did you mean ${close}?`,
  });
}
