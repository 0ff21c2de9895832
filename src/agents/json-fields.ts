/** Reading what others wrote: each function gives what is there in the expected shape, or nothing. */
import { isPlainObject, type Json, type JsonObject } from '../base/index.ts';

/** Deeper than this, what is written cannot be walked without care; no agent means anything by it. */
const maxDepth = 200;

/** A line of JSON, if it is an object. Byte order marks and carriage returns are no part of it. */
export function readObject(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line.replace(/^\uFEFF/, '').trim());
    return isPlainObject(value) && isShallow(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

function isShallow(value: object): boolean {
  let level: readonly object[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return false;
    level = level.flatMap((parent) => Object.values(parent).filter(isObject));
  }
  return true;
}

function isObject(value: unknown): value is object {
  return value !== null && typeof value === 'object';
}

export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let here = value;
  for (const key of path) here = objectOf(here)?.[key];
  return here;
}

export function objectOf(value: Json | undefined): JsonObject | undefined {
  return isPlainObject(value) ? (value as JsonObject) : undefined;
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function textAt(value: Json | undefined, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** The id of a session, which becomes a word of a command line: one that would be an option there is none. */
export function sessionAt(value: Json | undefined, ...path: readonly string[]): string | undefined {
  const id = textAt(value, ...path);
  return id !== undefined && /^[^-\p{Cc}][^\p{Cc}]{0,255}$/u.test(id) ? id : undefined;
}

export function numberAt(value: Json | undefined, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

/** A count of something, where missing, negative and nonsensical ones are none. */
export function countAt(value: Json | undefined, ...path: readonly string[]): number {
  const found = numberAt(value, ...path) ?? 0;
  return found > 0 ? found : 0;
}

/** Any value as text for people: text stays as it is, nothing is the empty text. */
export function showJson(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The text of content as the model interfaces write it: a text, or a list of blocks of which some have text. */
export function contentText(content: Json | undefined): string {
  if (!Array.isArray(content)) return showJson(content);
  const blocks: readonly Json[] = content;
  return blocks.map((block) => textAt(block, 'text') ?? showJson(block)).join('\n');
}

export function shorten(text: string, length = 500): string {
  const line = text.trim();
  return line.length <= length ? line : `${line.slice(0, length - 1).trimEnd()}…`;
}

/** An entry of a table of ours under a key of theirs, which may be `constructor` or `__proto__`. */
export function entryOf<T>(table: Readonly<Record<string, T>>, key: Json | undefined): T | undefined {
  return typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined;
}
