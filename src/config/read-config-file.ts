import { readFileSync } from 'node:fs';
import { asError, hasCode, nearest, parseDuration, PitonError } from '../base/index.ts';

/** What a file says; what it leaves out is absent. */
export interface FileSettings {
  readonly store?: string;
  readonly durability?: 'full' | 'process';
  readonly mirror?: string;
  readonly leaseMs?: number;
  readonly graceMs?: number;
}

const readers: Readonly<Record<string, (value: unknown) => Partial<FileSettings> | string>> = {
  store: (value) =>
    isText(value) ? { store: value } : 'must be a store URL, such as sqlite:.piton/piton.db',
  durability: (value) => (isDurability(value) ? { durability: value } : 'must be full or process'),
  mirror: (value) => (isText(value) ? { mirror: value } : 'must be the path of a folder'),
  lease: (value) => asDuration(value, 'leaseMs', 100),
  grace: (value) => asDuration(value, 'graceMs', 0),
};

/** Reads `.piton/config.yaml`; nothing if it is not there. Throws `CONFIG_INVALID`, naming file and line. */
export async function readConfigFile(file: string): Promise<FileSettings> {
  const text = readText(file);
  if (text === undefined) return {};
  const { parseDocument, LineCounter, isMap, isScalar } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): string => `${file}:${lines.linePos(offset).line}`;
  const [error] = document.errors;
  if (error !== undefined) throw invalid(at(error.pos[0]), error.message);
  if (document.contents === null) return {};
  if (!isMap(document.contents)) throw invalid(at(0), 'it must be a mapping of settings');
  const settings = document.contents.items.map(({ key, value }) => {
    const place = at((isScalar(key) ? key.range?.[0] : undefined) ?? 0);
    const given = isScalar(value) ? value.value : undefined;
    return readSetting(String(isScalar(key) ? key.value : key), given, place);
  });
  return Object.assign({}, ...settings) as FileSettings;
}

function readSetting(key: string, value: unknown, place: string): Partial<FileSettings> {
  const reader = Object.hasOwn(readers, key) ? readers[key] : undefined;
  if (reader === undefined) throw unknownKey(key, place);
  const read = reader(value);
  if (typeof read === 'string') throw invalid(place, `${key} ${read}`);
  return read;
}

function asDuration(
  value: unknown,
  name: 'leaseMs' | 'graceMs',
  least: number,
): Partial<FileSettings> | string {
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  if (ms === undefined) return 'must be a time span, such as 30s';
  return ms < least ? `must be at least ${least}ms` : { [name]: ms };
}

export function isDurability(value: unknown): value is 'full' | 'process' {
  return value === 'full' || value === 'process';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw invalid(file, asError(error).message);
  }
}

function invalid(place: string, what: string): PitonError {
  return new PitonError('CONFIG_INVALID', `${place}: ${what}.`, { place });
}

function unknownKey(key: string, place: string): PitonError {
  const known = Object.keys(readers);
  const close = nearest(key, known);
  return new PitonError('CONFIG_INVALID', `${place}: there is no setting ${key}.`, {
    place,
    key,
    remedy: close === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${close}?`,
  });
}
