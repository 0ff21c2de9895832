import { isPlainObject, sealJson, setKey, toJson, type Json, type JsonObject } from '../base/index.ts';
import type { Patch, PatchOperation, PatchPath } from '../model/index.ts';

/**
 * What has to be written down to get from `before` to `after`. Parts that are the same object are not looked into, so
 * adding to a long list costs what was added. The resulting value shares everything unchanged with `before`.
 */
export function difference(before: Json, after: unknown): { readonly value: Json; readonly patch: Patch } {
  const patch: PatchOperation[] = [];
  const value = compare(before, after, { path: [], patch });
  latest = { patch, before, value };
  return { value, patch };
}

/** The fold applies the patch that was just computed: no need to do it twice. Kept until then, and not longer. */
let latest: { readonly patch: Patch; readonly before: Json; readonly value: Json } | undefined;

interface Collector {
  readonly path: PatchPath;
  readonly patch: PatchOperation[];
}

function compare(before: Json, after: unknown, collector: Collector): Json {
  if (before === after) return before;
  if (Array.isArray(before) && Array.isArray(after)) return compareLists(before, after, collector);
  if (isPlainObject(before) && isPlainObject(after))
    return compareRecords(before as JsonObject, after, collector);
  const value = asJson(after, collector.path);
  if (!sameJson(before, value)) collector.patch.push({ op: 'set', path: collector.path, value });
  return value;
}

function compareRecords(
  before: JsonObject,
  after: Record<string, unknown>,
  { path, patch }: Collector,
): Json {
  const changes = patch.length;
  const value: Record<string, Json> = {};
  // Keys stand in the order in which applying the patch puts them: what was folded anew must not read differently.
  for (const key of Object.keys(before)) {
    const entry = before[key]!;
    const now = Object.hasOwn(after, key) ? after[key] : undefined;
    if (now === undefined) patch.push({ op: 'delete', path: [...path, key] });
    else setKey(value, key, now === entry ? entry : compare(entry, now, { path: [...path, key], patch }));
  }
  for (const key of Object.keys(after)) {
    const entry = after[key];
    if (entry === undefined || Object.hasOwn(before, key)) continue;
    setKey(value, key, addEntry(entry, { path: [...path, key], patch }));
  }
  return patch.length === changes ? before : sealJson(value);
}

function addEntry(entry: unknown, { path, patch }: Collector): Json {
  const value = asJson(entry, path);
  patch.push({ op: 'set', path, value });
  return value;
}

function compareLists(before: readonly Json[], after: readonly unknown[], { path, patch }: Collector): Json {
  const start = commonPrefix(before, after);
  const end = commonSuffix(before, after, start);
  const removed = before.length - start - end;
  const added = after.slice(start, after.length - end);
  if (removed === 0 && added.length === 0) return before;
  const items =
    removed === added.length
      ? Array.from(added, (item, index) =>
          compare(before[start + index]!, item, { path: [...path, start + index], patch }),
        )
      : Array.from(added, (item, index) => asJson(item, [...path, start + index]));
  if (removed !== added.length) patch.push({ op: 'splice', path, at: start, remove: removed, items });
  return sealJson([...before.slice(0, start), ...items, ...before.slice(before.length - end)]);
}

function commonPrefix(before: readonly Json[], after: readonly unknown[]): number {
  const most = Math.min(before.length, after.length);
  let length = 0;
  while (length < most && (before[length] === after[length] || sameJson(before[length]!, after[length])))
    length++;
  return length;
}

function commonSuffix(before: readonly Json[], after: readonly unknown[], start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let length = 0;
  while (length < most && sameJson(before[before.length - 1 - length]!, after[after.length - 1 - length]))
    length++;
  return length;
}

export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  return isPlainObject(a) && isPlainObject(b) && sameRecords(a, b);
}

function sameRecords(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
}

export function applyPatch(before: Json, patch: Patch): Json {
  const known = latest?.patch === patch && latest.before === before ? latest : undefined;
  latest = undefined;
  if (known !== undefined) return known.value;
  return patch.reduce<Json>((value, operation) => applyAt(value, operation, 0), before);
}

function applyAt(value: Json, operation: PatchOperation, depth: number): Json {
  const { path } = operation;
  if (operation.op === 'splice' && depth === path.length) {
    const items = value as readonly Json[];
    const { at, remove } = operation;
    return sealJson([...items.slice(0, at), ...operation.items, ...items.slice(at + remove)]);
  }
  if (operation.op === 'set' && depth === path.length) return operation.value;
  return applyInside(value, operation, depth);
}

function applyInside(value: Json, operation: PatchOperation, depth: number): Json {
  const key = operation.path[depth]!;
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    return sealJson(items.with(key as number, applyAt(items[key as number]!, operation, depth + 1)));
  }
  const record = { ...(value as JsonObject) } as Record<string, Json>;
  if (operation.op === 'delete' && depth === operation.path.length - 1) delete record[key];
  else setKey(record, String(key), applyAt(record[key]!, operation, depth + 1));
  return sealJson(record);
}

/** The place is written out only for what may have to be complained about. */
function asJson(value: unknown, path: PatchPath): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return toJson(value, pathText(path));
}

function pathText(path: PatchPath): string {
  return ['state', ...path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))].join('');
}
