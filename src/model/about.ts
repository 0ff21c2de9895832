import { hasControls, isPlainObject, nearest, type Json, type JsonObject } from '../base/index.ts';

/** What an operator says of a run: nothing of it changes what the run does. */
export interface RunAbout {
  /** A title for people; need not be unique. */
  readonly name?: string;
  /** To choose runs by. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Shared by runs that belong together. */
  readonly group?: string;
  /** For people: why it was started, what to look at. */
  readonly note?: string;
  /** For programs: anything that can be stored. */
  readonly metadata?: JsonObject;
  /** Of a fork, not to be set: the run whose past it shares, the last checkpoint that both have, and whether it takes its place. */
  readonly fork?: { readonly run: string; readonly seq: number; readonly supersedes?: true };
  /** The fork that takes its place, not to be set. */
  readonly supersededBy?: string;
}

/** What is to be changed of that. `null` removes what it stands for; what is left out stays. */
export interface AboutChange {
  readonly name?: string | null;
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly group?: string | null;
  readonly note?: string | null;
  /** By key, each value as a whole. */
  readonly metadata?: JsonObject;
}

export const aboutKeys = ['name', 'labels', 'group', 'note', 'metadata'] as const;

/**
 * Of all of it, as JSON: it is repeated in the row of the run, which lists read. And it must stay shorter than what the journal keeps
 * as blobs, since those of a run that has succeeded may be dropped.
 */
const longestAbout = 7_500;
const longestLine = 200;
const longestNote = 2_000;
const mostLabels = 32;
const labelKey = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?$/;

/** What is known of the run after a change; undefined if nothing is left. */
export function changeAbout(before: RunAbout | undefined, change: AboutChange): RunAbout | undefined {
  const { name, group, note } = { ...before, ...change };
  const labels = merged(before?.labels, change.labels);
  const metadata = merged<Json>(before?.metadata, change.metadata);
  const about = {
    ...before,
    ...(name !== undefined && { name }),
    ...(labels !== undefined && { labels }),
    ...(group !== undefined && { group }),
    ...(note !== undefined && { note }),
    ...(metadata !== undefined && { metadata }),
  };
  const left = Object.entries(about).filter(([, value]) => value !== null && !isEmpty(value));
  return left.length === 0 ? undefined : (Object.freeze(Object.fromEntries(left)) as RunAbout);
}

function isEmpty(value: unknown): boolean {
  return isPlainObject(value) && Object.keys(value).length === 0;
}

function merged<Value>(
  before: Readonly<Record<string, Value>> | undefined,
  change: Readonly<Record<string, Value | null>> | undefined,
): Readonly<Record<string, Value>> | undefined {
  if (change === undefined) return before;
  const entries = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
  return Object.freeze(Object.fromEntries(entries)) as Readonly<Record<string, Value>>;
}

type Check = (value: unknown) => string | undefined;

const checks: { readonly [Key in (typeof aboutKeys)[number]]: Check } = {
  name: (value) => whyNotLine('the name', value),
  group: (value) => whyNotLine('the group', value),
  note: whyNotNote,
  labels: whyNotLabels,
  metadata: (value) => (isPlainObject(value) ? undefined : 'metadata must be an object with named values'),
};

/** What is wrong with it, as a part of a sentence; undefined if nothing is. It may come from anybody: its types are checked too. */
export function whyNotAbout(about: Readonly<Record<string, unknown>>): string | undefined {
  for (const [key, value] of Object.entries(about)) {
    const why = isAboutKey(key) ? checks[key](value) : unknownKey(key);
    if (why !== undefined) return why;
  }
  const { length } = JSON.stringify(about);
  return length <= longestAbout
    ? undefined
    : `name, labels, group, note and metadata are ${length} characters as JSON, and may be ${longestAbout}`;
}

export function isAboutKey(key: string): key is (typeof aboutKeys)[number] {
  return (aboutKeys as readonly string[]).includes(key);
}

function unknownKey(key: string): string {
  const close = nearest(key, aboutKeys);
  const hint = close === undefined ? `known are ${aboutKeys.join(', ')}` : `did you mean ${close}?`;
  return `there is no ${key}: ${hint}`;
}

function whyNotLine(what: string, value: unknown): string | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'string') return `${what} must be text`;
  if (value.trim() === '') return `${what} is empty`;
  if (value.length > longestLine)
    return `${what} has ${value.length} characters, and may have ${longestLine}`;
  return hasControls(value) || /[\r\n\t]/.test(value)
    ? `${what} must be one line without control characters`
    : undefined;
}

function whyNotNote(note: unknown): string | undefined {
  if (note === null) return undefined;
  if (typeof note !== 'string') return 'the note must be text';
  if (note.trim() === '') return 'the note is empty';
  if (note.length > longestNote) return `the note has ${note.length} characters, and may have ${longestNote}`;
  return hasControls(note) ? 'the note must be without control characters' : undefined;
}

function whyNotLabels(labels: unknown): string | undefined {
  if (!isPlainObject(labels)) return 'labels must be an object of texts';
  const entries = Object.entries(labels);
  if (entries.length > mostLabels) return `there are ${entries.length} labels, and may be ${mostLabels}`;
  for (const [key, value] of entries) {
    const why = whyNotLabelKey(key) ?? whyNotLine(`the label ${key}`, value);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Why nothing can be labelled so. */
function whyNotLabelKey(key: string): string | undefined {
  return labelKey.test(key)
    ? undefined
    : `${JSON.stringify(key)} is no key of a label: up to 63 letters, digits, dots, slashes, dashes and underscores, with a letter or digit at both ends`;
}
