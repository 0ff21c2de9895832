import { isPlainObject, PitonError, toJson, type Json } from '../../base/index.ts';

/** What CEL gave, as frozen JSON: its whole numbers are BigInts. */
export function toJsonValue(value: unknown): Json {
  return toJson(convert(value));
}

/** What is frozen came from the variables, thus is JSON already, and need not be copied however big it is. */
function convert(value: unknown): unknown {
  if (typeof value === 'bigint') return toNumber(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw notJson(`${value}`, divisionHint);
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return value.map(convert);
  if (isPlainObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, convert(entry)]));
  }
  return convertInstance(value);
}

const divisionHint = 'Did it divide by zero?';

function toNumber(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw notJson(`the whole number ${value}, too big for JSON`, 'Turn it into text with string().');
}

/** CEL's own kinds of values: unsigned numbers, time spans, bytes. Points in time know their JSON form themselves. */
function convertInstance(value: object): unknown {
  const primitive: unknown = value.valueOf();
  if (typeof primitive === 'bigint') return toNumber(primitive);
  if (value instanceof Uint8Array) throw notJson('bytes', 'Turn them into text with string().');
  if ('seconds' in value) return String(value);
  return value;
}

function notJson(what: string, remedy: string): PitonError {
  return new PitonError('NOT_SERIALISABLE', `It gives ${what}.`, { remedy });
}
