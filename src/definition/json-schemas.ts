import { asError, PitonError, type Json } from '../base/index.ts';
import type { JsonSchema } from '../model/index.ts';
import { describeMisfit, explainIssues } from './schema-issues.ts';

/** What is wrong with a value, each with its place: `parts[0].name: expected text, found 3`. Empty = nothing. */
export type SchemaCheck = (value: Json) => string[];

const checks = new WeakMap<JsonSchema, Promise<SchemaCheck>>();

/** Made once for each schema. Rejects with `SCHEMA_UNSUPPORTED` where the schema cannot be used. */
export function compileSchema(schema: JsonSchema): Promise<SchemaCheck> {
  const check = checks.get(schema) ?? makeCheck(schema);
  checks.set(schema, check);
  return check;
}

async function makeCheck(schema: JsonSchema): Promise<SchemaCheck> {
  const { z } = await import('zod');
  try {
    const type = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
    return (value) => {
      const { error } = type.safeParse(value);
      return error === undefined ? [] : explainIssues(error.issues, value).map(describeMisfit);
    };
  } catch (cause) {
    throw new PitonError('SCHEMA_UNSUPPORTED', `The JSON Schema cannot be used: ${asError(cause).message}.`, {
      cause,
      remedy: 'Say it with type, properties, required, items, enum, anyOf and limits.',
    });
  }
}
