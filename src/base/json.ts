import { PitonError } from './errors.ts';
import { isFrozenJson, sealJson } from './frozen-json.ts';

/** What can be stored: a value that JSON gives back as it was. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
/** An object of such values, by name. */
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
 * A frozen copy of `value` that reads exactly as `value` does, without properties that are undefined. Throws `NOT_SERIALISABLE`, naming the
 * place, for all that JSON would lose or turn into something else: functions, bigints, NaN, cycles, undefined in lists, and instances of
 * classes, also those with `toJSON`: a Date would come back as text. Parts that are already known to be frozen JSON are kept by reference.
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
  if (place.ancestors.includes(value)) throw notJson(place, ['a cycle', 'Refer to it by a name or id.']);
  if (place.ancestors.length >= deepest)
    throw notJson(place, [`nested more than ${deepest} deep`, 'Store it in a flat form.']);
  const inside = { path: place.path, ancestors: [...place.ancestors, value] };
  return sealJson(Array.isArray(value) ? freezeList(value, inside) : freezeRecord(value, inside));
}

/** `Array.from` also visits the holes of a sparse array, as undefined. */
function freezeList(list: readonly unknown[], place: Place): Json[] {
  return Array.from(list, (item, index) => freezeJson(item, { ...place, path: `${place.path}[${index}]` }));
}

function freezeRecord(value: object, place: Place): Record<string, Json> {
  if (!isPlainObject(value)) throw notJson(place, describeInstance(value));
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
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw notJson(place, describeScalar(value));
}

/** What a value is, and what to store instead. */
type Fault = readonly [what: string, remedy: string];

function describeScalar(value: unknown): Fault {
  if (value === undefined) return ['undefined', 'Store null, or leave it out.'];
  if (typeof value === 'number') return [String(value), 'Store null or text instead.'];
  if (typeof value === 'bigint') return ['a bigint', 'Store it as text, e.g. String(value).'];
  return [`a ${typeof value}`, 'Store plain data only.'];
}

function describeInstance(value: object): Fault {
  if (value instanceof Date) return ['a Date', 'Store it as text, e.g. toISOString().'];
  if (value instanceof Map) return ['a Map', 'Store it as an object, e.g. Object.fromEntries(map).'];
  if (value instanceof Set) return ['a Set', 'Store it as a list, e.g. [...set].'];
  if (value instanceof Promise) return ['a Promise', 'Await it, in the function of a task.'];
  const constructor: unknown = Object.getPrototypeOf(value).constructor;
  const name = typeof constructor === 'function' && constructor.name !== '' ? constructor.name : 'a class';
  return [`an instance of ${name}`, 'Store plain data, e.g. an object with the fields that you need.'];
}

const longestPath = 200;

function notJson(place: Place, [what, remedy]: Fault): PitonError {
  const path = place.path.length > longestPath ? `${place.path.slice(0, longestPath)}…` : place.path;
  return new PitonError('NOT_SERIALISABLE', `${path} is ${what}, which JSON cannot keep.`, { path, remedy });
}

/** Marks a value that was just read from JSON text (thus plain and acyclic) as frozen, deeply. */
export function freezeParsed<T>(value: T): T {
  if (value === null || typeof value !== 'object' || isFrozenJson(value)) return value;
  for (const entry of Object.values(value)) freezeParsed(entry);
  return sealJson(value);
}
