import { z } from 'zod';
import { asError, PitonError, type Json } from '../base/index.ts';
import type { JsonSchema } from '../model/index.ts';
import { describeMisfit, explainIssues } from './schema-issues.ts';

/** What is wrong with a value, each with its place: `parts[0].name: expected text, found 3`. Empty = nothing. */
export type SchemaCheck = (value: Json) => string[];

/** Throws `SCHEMA_UNSUPPORTED` where the schema cannot be used. */
export function createSchemaCheck(schema: JsonSchema): SchemaCheck {
  const type = readSchema(schema);
  return (value) => {
    const { error } = type.safeParse(value);
    return error === undefined ? [] : explainIssues(error.issues, value).map(describeMisfit);
  };
}

function readSchema(schema: JsonSchema): z.ZodType {
  try {
    return z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
  } catch (cause) {
    throw new PitonError('SCHEMA_UNSUPPORTED', `The JSON Schema cannot be used: ${asError(cause).message}.`, {
      cause,
      remedy: 'Say it with type, properties, required, items, enum, anyOf and limits.',
    });
  }
}
