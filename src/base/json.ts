import { PitonError } from './errors.ts';
import { isFrozenJson, sealJson } from './frozen-json.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** JSON with sorted keys and no spaces: equal values have equal texts, so it can be hashed. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`;
  const entries = Object.entries(value as JsonObject)
    .filter(([, entry]) => entry !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`).join(',')}}`;
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (value === null || typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * A frozen copy of `value` as JSON would bring it back, or an error that names the place of what JSON would lose
 * (functions, bigints, NaN, cycles, class instances other than those with toJSON).
 * Parts that are already known to be frozen JSON are kept by reference.
 */
export function toJson(value: unknown, path = '$'): Json {
  return freezeJson(value, { path, ancestors: [] });
}

interface Place {
  readonly path: string;
  readonly ancestors: readonly object[];
}

function freezeJson(value: unknown, place: Place): Json {
  return typeof value === 'object' && value !== null ? freezeObject(value, place) : scalar(value, place);
}

/** Deeper values are nobody's data, and whoever walks them, in whatever place, could run out of stack. */
const deepest = 200;

function freezeObject(value: object, place: Place): Json {
  if (isFrozenJson(value)) return value as Json;
  if (place.ancestors.includes(value)) throw notJson('a cycle', place);
  if (place.ancestors.length >= deepest) throw notJson(`nested more than ${deepest} deep`, place);
  const inside = { path: place.path, ancestors: [...place.ancestors, value] };
  const copy = Array.isArray(value) ? freezeList(value, inside) : freezeRecord(value, inside);
  return copy !== null && typeof copy === 'object' ? sealJson(copy) : copy;
}

function freezeList(list: readonly unknown[], place: Place): Json {
  return Array.from(list, (item, index) => freezeJson(item, { ...place, path: `${place.path}[${index}]` }));
}

function freezeRecord(value: object, place: Place): Json {
  const toJSON = (value as { toJSON?: unknown }).toJSON;
  if (typeof toJSON === 'function') return freezeJson(toJSON.call(value), place);
  if (!isPlainObject(value)) throw notJson(`an instance of ${value.constructor?.name ?? 'a class'}`, place);
  const copy: Record<string, Json> = {};
  for (const [key, entry] of Object.entries(value)) {
    if (entry === undefined) continue;
    setKey(copy, key, freezeJson(entry, { ...place, path: `${place.path}.${key}` }));
  }
  return copy;
}

/** Assigning `__proto__` would change the prototype instead of adding a key. */
export function setKey<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

function scalar(value: unknown, place: Place): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value !== 'number') throw notJson(`a ${typeof value}`, place);
  if (!Number.isFinite(value)) throw notJson(String(value), place);
  return value;
}

const longestPath = 200;

function notJson(what: string, place: Place): PitonError {
  const path = place.path.length > longestPath ? `${place.path.slice(0, longestPath)}…` : place.path;
  return new PitonError('NOT_SERIALISABLE', `${path} is ${what}, which JSON cannot keep.`, {
    path,
    remedy: 'Return plain data: objects, lists, strings, finite numbers, booleans and null.',
  });
}

/** Marks a value that was just read from JSON text (thus plain and acyclic) as frozen, deeply. */
export function freezeParsed<T>(value: T): T {
  if (value === null || typeof value !== 'object' || isFrozenJson(value)) return value;
  for (const entry of Object.values(value)) freezeParsed(entry);
  return sealJson(value);
}
