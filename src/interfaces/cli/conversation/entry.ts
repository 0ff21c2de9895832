/** One entry of a transcript, as it was stored: perhaps by another version, so nothing in it is taken for granted. */
export type Entry = Readonly<Record<string, unknown>>;

export function entryOf(value: unknown): Entry {
  return isRecord(value) ? value : { type: 'unknown', value };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field as text; empty if it is not there. */
export function textIn(entry: Entry, field: string): string {
  const value = entry[field];
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Undefined if there is no such number. */
export function numberIn(entry: Entry, field: string): number | undefined {
  const value = entry[field];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
