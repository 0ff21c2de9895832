import { resolve } from 'node:path';
import {
  asError,
  isPlainObject,
  PitonError,
  readBounded,
  setKey,
  type Json,
  type JsonObject,
} from '../../../base/index.ts';
import { whyNotAbout, type AboutChange } from '../../../model/index.ts';

export interface AboutOptions {
  readonly name?: string;
  readonly label?: readonly string[];
  readonly group?: string;
  readonly note?: string;
  readonly metadata?: readonly string[];
}

/** What the options of `piton run` say of the run. Throws `USAGE_INVALID`. */
export function readAbout(options: AboutOptions, directory: string): AboutChange {
  const { name, label, group, note, metadata } = options;
  const about = {
    ...(name !== undefined && { name }),
    ...(label !== undefined && { labels: readLabels(label) }),
    ...(group !== undefined && { group }),
    ...(note !== undefined && { note }),
    ...(metadata !== undefined && { metadata: readMetadata(metadata, directory) }),
  };
  const why = whyNotAbout(about);
  if (why === undefined) return about;
  throw new PitonError('USAGE_INVALID', `That cannot be said of a run: ${why}.`, {
    remedy: 'See piton run --help.',
  });
}

/** `key=value` each. Throws `USAGE_INVALID`. */
export function readLabels(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(pairs.map((pair) => splitPair(pair, '--label team=web')));
}

function readMetadata(given: readonly string[], directory: string): JsonObject {
  const metadata: Record<string, Json> = {};
  for (const each of given) {
    const entries = each.startsWith('@')
      ? Object.entries(readMetadataFile(each.slice(1), directory))
      : [metadataPair(each)];
    for (const [key, value] of entries) setKey(metadata, key, value);
  }
  return metadata;
}

function metadataPair(pair: string): [string, Json] {
  const [key, text] = splitPair(pair, '--metadata ticket=ABC-1 or --metadata @file.json');
  return [key, readValue(text)];
}

/** Where the first `=` is; there must be something before it. Throws `USAGE_INVALID`. */
export function splitPair(pair: string, example: string): [key: string, text: string] {
  const at = pair.indexOf('=');
  if (at > 0) return [pair.slice(0, at).trim(), pair.slice(at + 1)];
  throw new PitonError('USAGE_INVALID', `${pair} is no key with a value.`, { remedy: `Write ${example}.` });
}

/** As JSON, if it is that; else text. */
export function readValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** More than any run may keep: whoever wrote the file need not mean well. */
const mostBytes = 64 * 1024;

/** A file with an object of JSON, as it is found from `directory`. Throws `USAGE_INVALID`. */
export function readMetadataFile(given: string, directory: string): JsonObject {
  const file = resolve(directory, given);
  try {
    const content = readBounded(file);
    if (content.length > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`);
    const value: unknown = JSON.parse(content.toString('utf8'));
    if (isPlainObject(value)) return value as JsonObject;
  } catch (cause) {
    throw unusable(file, asError(cause).message);
  }
  throw unusable(file, 'it holds no object with named values');
}

function unusable(file: string, reason: string): PitonError {
  return new PitonError('USAGE_INVALID', `The metadata in ${file} cannot be used: ${reason}.`, {
    file,
    remedy: 'Write a file of JSON, such as {"ticket": "ABC-1"}.',
  });
}
