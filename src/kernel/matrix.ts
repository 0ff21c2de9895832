import { canonicalJson, isPlainObject, type Json, type JsonObject } from '../base/index.ts';

/** One combination of a matrix, and the values that name it. */
export interface Combination {
  readonly item: JsonObject;
  readonly names: readonly Json[];
}

/**
 * Every combination of one entry of each list, without those that `exclude` matches. An entry of `include` is added to each
 * combination whose own values it would not change; where it fits none, it is a combination by itself.
 *
 * A combination is named by the lists alone, so that what `include` adds to it does not rename it. Undefined if it is no matrix.
 */
export function combinationsOf(matrix: Json): readonly Combination[] | undefined {
  if (!isPlainObject(matrix)) return undefined;
  const { include = [], exclude = [], ...lists } = matrix as JsonObject;
  if (!isRecords(include) || !isRecords(exclude) || !Object.values(lists).every(Array.isArray))
    return undefined;
  const chosen = product(lists as Readonly<Record<string, readonly Json[]>>).filter(
    (combination) => !exclude.some((entry) => matches(combination, entry)),
  );
  return [
    ...chosen.map((item) => ({ item: extended(item, include), names: Object.values(item) })),
    ...include
      .filter((entry) => !chosen.some((combination) => fits(combination, entry)))
      .map((item) => ({ item, names: Object.values(item) })),
  ];
}

function isRecords(value: Json): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every((entry) => isPlainObject(entry));
}

/** Without lists there is no combination, and not one of nothing. */
function product(lists: Readonly<Record<string, readonly Json[]>>): JsonObject[] {
  const names = Object.keys(lists);
  if (names.length === 0) return [];
  return names.reduce<JsonObject[]>(
    (combinations, name) =>
      combinations.flatMap((chosen) => lists[name]!.map((value) => ({ ...chosen, [name]: value }))),
    [{}],
  );
}

/** Whether the combination has all that the entry says. */
function matches(combination: JsonObject, entry: JsonObject): boolean {
  return Object.entries(entry).every(([name, value]) => isSame(combination[name], value));
}

/** Whether the entry changes nothing of the combination. */
function fits(combination: JsonObject, entry: JsonObject): boolean {
  return Object.entries(entry).every(
    ([name, value]) => !Object.hasOwn(combination, name) || isSame(combination[name], value),
  );
}

function extended(combination: JsonObject, include: readonly JsonObject[]): JsonObject {
  return Object.assign({}, combination, ...include.filter((entry) => fits(combination, entry))) as JsonObject;
}

function isSame(one: Json | undefined, other: Json): boolean {
  return one !== undefined && canonicalJson(one) === canonicalJson(other);
}
