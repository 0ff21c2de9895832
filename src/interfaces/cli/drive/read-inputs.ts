import { readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  asError,
  isPlainObject,
  PitonError,
  setKey,
  toJson,
  type Json,
  type JsonObject,
} from '../../../base/index.ts';
import type { JsonSchema, Workflow } from '../../../model/index.ts';

export interface GivenInputs {
  /** `key=value`, in order; a later one wins. */
  readonly pairs: readonly string[];
  /** A file of JSON or YAML, as it is found from `directory`, or `-`: standard input; pairs win over it. */
  readonly file?: string | undefined;
  readonly directory: string;
  stdin(): NodeJS.ReadStream;
}

/** Inputs as a person gives them: text, which the schema of each input says how to understand. Throws `INPUT_INVALID`. */
export async function readInputs(
  { inputs: specs }: Workflow,
  { pairs, file, directory, stdin }: GivenInputs,
): Promise<JsonObject> {
  const inputs = file === undefined ? {} : await readInputFile(file, { directory, stdin });
  for (const pair of pairs) {
    const [key, text] = splitPair(pair);
    const schema = Object.hasOwn(specs, key) ? specs[key]!.schema : {};
    setKey(inputs, key, readValue(key, text, schema));
  }
  return inputs;
}

function splitPair(pair: string): [key: string, text: string] {
  const at = pair.indexOf('=');
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  throw new PitonError('INPUT_INVALID', `-i ${pair} is no input.`, { remedy: 'Write -i name=value.' });
}

const kinds: Readonly<Record<string, string>> = {
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list in JSON, such as ["a", "b"]',
  object: 'an object in JSON, such as {"a": 1}',
  null: 'null',
};

/** What may be text stays text; all else is written as JSON writes it. */
function readValue(key: string, text: string, { type }: JsonSchema): Json {
  const types = (Array.isArray(type) ? type : [type]).map(String);
  if (types.includes('string') || !types.every((name) => Object.hasOwn(kinds, name))) return text;
  const value = parseJson(text);
  if (value !== undefined && types.some((name) => isOfType(value, name))) return value;
  const wanted = types.map((name) => kinds[name]).join(' or ');
  throw new PitonError('INPUT_INVALID', `The input \`${key}\` must be ${wanted}, and ${text} is not.`, {
    input: key,
  });
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function isOfType(value: Json, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isPlainObject(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

/** Throws `INPUT_INVALID`. */
export async function readInputFile(
  given: string,
  { directory, stdin }: Pick<GivenInputs, 'directory' | 'stdin'>,
): Promise<Record<string, Json>> {
  const file = given === '-' ? 'standard input' : resolve(directory, given);
  const value = await parsed(file, async () =>
    given === '-' ? await text(stdin()) : readFileSync(file, 'utf8'),
  );
  if (isPlainObject(value)) return { ...(toJson(value, 'inputs') as JsonObject) };
  throw unusable(file, 'it holds no names and values');
}

async function parsed(file: string, read: () => Promise<string>): Promise<unknown> {
  try {
    const content = await read();
    if (extname(file) === '.json') return JSON.parse(content);
    // What a program writes is JSON, and may be long: as YAML it would take a hundred times its size in memory.
    const json = parseJson(content);
    if (json !== undefined) return json;
    const { parse } = await import('yaml');
    return parse(content);
  } catch (cause) {
    throw unusable(file, asError(cause).message, cause);
  }
}

function unusable(file: string, reason: string, cause?: unknown): PitonError {
  return new PitonError('INPUT_INVALID', `The inputs in ${file} cannot be used: ${reason}.`, {
    file,
    remedy: 'Write a file of JSON or YAML, such as name: value.',
    ...(cause !== undefined && { cause }),
  });
}
