import { isPlainObject, type Json, type JsonObject } from '../../base/index.ts';

/**
 * The model interface takes only schemas whose objects say that they have no other properties. Where a schema
 * says nothing, that is added; what it says is kept.
 */
export function strictSchema(schema: JsonObject): JsonObject {
  const entries = Object.entries(closed(schema)).map(([key, value]) => [
    key,
    values.has(key) ? value : inner(value),
  ]);
  return Object.freeze(Object.fromEntries(entries) as JsonObject);
}

/** Keywords whose contents are values, not schemas. */
const values = new Set(['const', 'enum', 'default', 'examples']);

function inner(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(inner);
  return isPlainObject(value) ? strictSchema(value as JsonObject) : value;
}

function closed(schema: JsonObject): JsonObject {
  const isOpenObject = schema['type'] === 'object' && isPlainObject(schema['properties']);
  return isOpenObject && schema['additionalProperties'] === undefined
    ? { ...schema, additionalProperties: false }
    : schema;
}
