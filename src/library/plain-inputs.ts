import { isPlainObject, PitonError, toJson, type JsonObject } from '../base/index.ts';

/**
 * What a run is given, as frozen JSON. `what` names it for people: `inputs` or `state`. A journal keeps both by name,
 * so a list or a bare value would be written down and never read again. Throws `INPUT_INVALID`, `NOT_SERIALISABLE`.
 */
export function plainInputs(given: unknown, what: string): JsonObject {
  const value = toJson(given ?? {}, what);
  if (isPlainObject(value)) return value as JsonObject;
  const found = Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  throw new PitonError(
    'INPUT_INVALID',
    `The ${what} of a run must be an object with named fields, not ${found}.`,
    {
      remedy: `Give it a name: { ${what}: { value: … } }.`,
    },
  );
}
