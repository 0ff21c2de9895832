import type { Json } from '../base/index.ts';

/** Shorter ones would black out half of any text, and are no secrets. */
const shortestSecret = 4;
const mask = '***';

/** Replaces every secret in a text. What begins in the middle of a longer one may begin with the end of a secret. */
export type Redact = (text: string, isCut?: boolean) => string;

export function redactor(secrets: readonly string[]): Redact {
  const hidden = [...new Set(secrets.flatMap(spellings))].filter(({ length }) => length >= shortestSecret);
  // The longest first: one may be a part of another.
  hidden.sort((a, b) => b.length - a.length);
  const longest = longestLine(secrets);
  return (text, isCut = false) => {
    const shown = hidden.reduce((rest, secret) => rest.replaceAll(secret, mask), text);
    return isCut ? shown.slice(longest - 1) : shown;
  };
}

/** As it is; as JSON has it; and line by line, as which output is mostly read. */
function spellings(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1), ...linesOf(secret)];
}

/** What is cut may begin or end with a part of a secret that is at most one character shorter. */
export function longestLine(secrets: readonly string[]): number {
  return Math.max(1, ...secrets.flatMap(linesOf).map(({ length }) => length));
}

function linesOf(secret: string): string[] {
  return secret.split(/\r?\n/);
}

/** The same in every text of a value, keys included. A number may be a secret as a whole. */
export function redactJson(value: Json, redact: Redact): Json {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') return redact(String(value)) === mask ? mask : value;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: Json) => redactJson(item, redact));
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [redact(key), redactJson(entry, redact)]),
  );
}
