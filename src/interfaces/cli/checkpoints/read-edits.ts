import { isPlainObject, nearest, PitonError, type Json, type JsonObject } from '../../../base/index.ts';
import { readInputFile, type GivenInputs } from '../drive/read-inputs.ts';

const kinds = ['inputs', 'outputs', 'state'] as const;

/** What a fork has otherwise, as a file says it. */
export type Edits = { readonly [Kind in (typeof kinds)[number]]?: JsonObject };

/** Throws `INPUT_INVALID`. */
export async function readEdits(
  file: string,
  from: Pick<GivenInputs, 'directory' | 'stdin'>,
): Promise<Edits> {
  const read = await readInputFile(file, from);
  const entries = Object.entries(read).map(([key, value]) => [
    assertKind(key, file),
    valuesIn(key, value, file),
  ]);
  return Object.fromEntries(entries) as Edits;
}

function assertKind(key: string, file: string): string {
  if ((kinds as readonly string[]).includes(key)) return key;
  const close = nearest(key, kinds);
  throw invalid(
    file,
    `there is no ${key} to edit`,
    close === undefined ? undefined : `Did you mean ${close}?`,
  );
}

function valuesIn(key: string, value: Json, file: string): JsonObject {
  if (isPlainObject(value)) return value as JsonObject;
  throw invalid(file, `${key} must be names and values`);
}

function invalid(
  file: string,
  why: string,
  hint = 'Write inputs, outputs or state, each with names and values.',
): PitonError {
  return new PitonError('INPUT_INVALID', `The edits in ${file} cannot be used: ${why}.`, {
    file,
    remedy: hint,
  });
}
