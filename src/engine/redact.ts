import type { Json } from '../base/index.ts';

/** Shorter ones would black out half of any text, and are no secrets. */
const shortestSecret = 4;
export const mask = '***';

/** Replaces every secret in a text. What begins in the middle of a longer one may begin with the end of a secret. */
export type Redact = (text: string, isCut?: boolean) => string;

/** Hides what is known by its fingerprints alone. */
export interface Hiding {
  /** What it hides is in no line longer than this, in UTF-16 units. */
  readonly longest: number;
  hide(text: string): string;
}

export function redactor(secrets: readonly string[], others?: Hiding): Redact {
  const hidden = spellingsOf(secrets);
  const longest = Math.max(longestLine(secrets), others?.longest ?? 1);
  return (text, isCut = false) => {
    const own = hidden.reduce((rest, secret) => rest.replaceAll(secret, mask), text);
    const shown = maskCut(others?.hide(own) ?? own, hidden);
    return isCut ? shown.slice(longest - 1) : shown;
  };
}

/** All that is to be hidden of them. The longest first: one may be a part of another. */
export function spellingsOf(secrets: readonly string[]): string[] {
  const hidden = [...new Set(secrets.flatMap(spellings))].filter(({ length }) => length >= shortestSecret);
  return hidden.sort((a, b) => b.length - a.length);
}

/** Adapters shorten what they tell: an ellipsis may stand in the middle of a secret. */
function maskCut(text: string, hidden: readonly string[]): string {
  if (!text.includes('…')) return text;
  const [last, ...before] = text.split('…').reverse() as [string, ...string[]];
  return [...before.reverse().map((part) => maskBeginning(part, hidden)), last].join('…');
}

/** If the text ends with the beginning of a secret, that goes. */
function maskBeginning(text: string, hidden: readonly string[]): string {
  const begun = hidden.map((secret) => {
    let length = Math.min(secret.length - 1, text.length);
    while (length >= shortestSecret && !text.endsWith(secret.slice(0, length))) length -= 1;
    return length < shortestSecret ? 0 : length;
  });
  const longest = Math.max(0, ...begun);
  return longest === 0 ? text : `${text.slice(0, -longest)}${mask}`;
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
