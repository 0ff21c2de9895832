import type { JsonSchema } from '../model/index.ts';
import type { SchemaCheck } from './schema-check.ts';

const checks = new WeakMap<JsonSchema, Promise<SchemaCheck>>();

/**
 * Gives the check of values against a JSON Schema; made once for each schema. Rejects with `SCHEMA_UNSUPPORTED` where
 * the schema cannot be used.
 */
export function compileSchema(schema: JsonSchema): Promise<SchemaCheck> {
  const check = checks.get(schema) ?? loadCheck(schema);
  checks.set(schema, check);
  return check;
}

async function loadCheck(schema: JsonSchema): Promise<SchemaCheck> {
  const { createSchemaCheck } = await loadSchemaCheck();
  return createSchemaCheck(schema);
}

export function loadSchemaCheck(): Promise<typeof import('./schema-check.ts')> {
  return import('./schema-check.ts');
}
