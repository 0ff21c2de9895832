import type { Json } from '../base/index.ts';

/** Shorter ones would black out half of any text, and are no secrets. */
const shortestSecret = 4;
const mask = '***';

/** Makes a function that replaces every secret in a text. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  // The longest first: one may be a part of another.
  const hidden = secrets.filter(({ length }) => length >= shortestSecret).sort((a, b) => b.length - a.length);
  return (text) => hidden.reduce((shown, secret) => shown.replaceAll(secret, mask), text);
}

/** The same in every text of a value, keys included. */
export function redactJson(value: Json, redact: (text: string) => string): Json {
  if (typeof value === 'string') return redact(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: Json) => redactJson(item, redact));
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [redact(key), redactJson(entry, redact)]),
  );
}
