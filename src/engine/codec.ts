import { chainHash, PitonError, sha256, type Json } from '../base/index.ts';
import {
  journalVersion,
  readEvent,
  type Commit,
  type Event,
  type Fault,
  type StoredCommit,
  type Workflow,
} from '../model/index.ts';
import type { Blob } from '../store/index.ts';
import { upcast } from './upcast.ts';

/** A value whose JSON is longer is kept as a blob, once for all commits that contain it. */
const longestInline = 8 * 1024;

export interface EncodedCommit {
  readonly stored: StoredCommit;
  readonly blobs: readonly Blob[];
}

/** The commit as text, chained to the one before. */
export function encodeCommit(commit: Commit, previousHash: string): EncodedCommit {
  const blobs: Blob[] = [];
  const events = encodeEvents(commit.events, blobs);
  const { run, seq, at, epoch, version } = commit;
  const head = `"run":${JSON.stringify(run)},"seq":${seq},"at":${at},"epoch":${epoch},"version":${version}`;
  const body = `{${head},"events":${events}}`;
  return { stored: { run, seq, body, hash: chainHash(previousHash, body) }, blobs };
}

/** If all of them together are short, so is each. */
function encodeEvents(events: readonly Event[], blobs: Blob[]): string {
  const text = events.some(holdsBlob) ? undefined : JSON.stringify(events);
  if (text !== undefined && text.length <= longestInline) return text;
  return `[${events.map((event) => encodeEvent(event, blobs)).join(',')}]`;
}

/**
 * Always blobs, however short. A definition: a thousand runs of one workflow keep it once. What an agent has said: whoever wants
 * anything else of a run does not read it.
 */
function holdsBlob({ data }: Event): boolean {
  return 'workflow' in data || 'entries' in data;
}

function encodeEvent(event: Event, blobs: Blob[]): string {
  const text = holdsBlob(event) ? undefined : JSON.stringify(event);
  if (text !== undefined && text.length <= longestInline) return text;
  const data: Record<string, unknown> = {};
  const kept: Record<string, string> = {};
  for (const [key, value] of Object.entries(event.data)) {
    const blob = blobFor(key, value as Json);
    if (blob === undefined) data[key] = value;
    else {
      kept[key] = blob.hash;
      blobs.push(blob);
    }
  }
  return JSON.stringify({ ...event, data, blobs: kept });
}

function blobFor(key: string, value: Json): Blob | undefined {
  if (key === 'workflow') return workflowBlob(value as unknown as Workflow);
  const text = JSON.stringify(value);
  return text.length <= longestInline && key !== 'entries' ? undefined : { hash: sha256(text), text };
}

const workflowBlobs = new WeakMap<Workflow, Blob>();

/** Of a frozen definition, of which many runs may be started. */
function workflowBlob(workflow: Workflow): Blob {
  const known = workflowBlobs.get(workflow);
  if (known !== undefined) return known;
  const text = JSON.stringify(workflow);
  const blob = { hash: sha256(text), text };
  if (Object.isFrozen(workflow)) workflowBlobs.set(workflow, blob);
  return blob;
}

/** An event as it stands in the body: values by name that are blobs, beside those that are not. */
interface RawEvent {
  readonly data: Record<string, unknown>;
  readonly blobs?: Readonly<Record<string, string>>;
}
type RawCommit = Omit<Commit, 'events'> & { readonly events: readonly RawEvent[] };

export interface BlobRef {
  /** Of the value, in the data of its event. */
  readonly name: string;
  readonly hash: string;
}

/** The blobs that a stored commit refers to. */
export function blobsOf(stored: StoredCommit): BlobRef[] {
  const { events } = JSON.parse(stored.body) as RawCommit;
  return events.flatMap(({ blobs }) => Object.entries(blobs ?? {}).map(([name, hash]) => ({ name, hash })));
}

/** Where big values are read from. Undefined for one that was dropped on purpose: its event then says so. */
export interface BlobSource {
  readBlob(hash: string): Promise<string | undefined>;
}

export interface Decoding {
  /**
   * `false`: what agents have said is not read. Events then lack their `entries`, but for those of older versions, in which nothing else
   * tells what was used.
   */
  readonly transcripts?: boolean | undefined;
}

/** Reads stored commits: blobs brought in, old versions brought up to date, every event checked and frozen. */
export type Decode = (stored: StoredCommit) => Promise<Commit> | Commit;

export function createDecoder(blobs: BlobSource, { transcripts = true }: Decoding = {}): Decode {
  return (stored) => {
    const parsed = JSON.parse(stored.body) as RawCommit;
    const raw = transcripts ? parsed : { ...parsed, events: parsed.events.map(withoutText) };
    assertKnown(stored, raw);
    if (raw.events.every((event) => event.blobs === undefined)) return check(stored, raw, raw.events);
    return fetchAll(raw, blobs).then((events) => check(stored, raw, events));
  };
}

function withoutText(event: RawEvent): RawEvent {
  if (event.blobs?.['entries'] === undefined || !('used' in event.data || 'used' in event.blobs))
    return event;
  const { blobs, ...rest } = event;
  const { entries: _, ...others } = blobs!;
  return Object.keys(others).length === 0 ? rest : { ...rest, blobs: others };
}

const commitKeys = new Set(['run', 'seq', 'at', 'epoch', 'version', 'events']);

function assertKnown(stored: StoredCommit, raw: RawCommit): void {
  if (raw.version > journalVersion) throw tooNew(stored, raw.version);
  const unknown = Object.keys(raw).filter((key) => !commitKeys.has(key));
  if (unknown.length > 0) throw tooNew(stored, raw.version, `the fields ${unknown.join(', ')}`);
}

/**
 * Throws `RUN_TOO_NEW` for a commit that is not decoded, because a snapshot tells what came of it: whoever made that
 * may have known more than we do.
 */
export function assertReadable(stored: StoredCommit): void {
  const found = /^[^[]*?"version":(\d+),"events":\[/.exec(stored.body)?.[1];
  const version = Number(found ?? (JSON.parse(stored.body) as RawCommit).version);
  if (version > journalVersion) throw tooNew(stored, version);
}

function check(stored: StoredCommit, raw: RawCommit, events: readonly unknown[]): Commit {
  const place = { ...stored, version: raw.version };
  const checked = upcast(events, raw.version).map((event) => checkEvent(event, place));
  return { ...raw, version: journalVersion, events: checked };
}

/** Names of values that an event lacks because they were dropped on purpose. No key of text that was read is a symbol. */
const droppedKeys = Symbol('dropped');

/** One that names dropped values may lack these, and goes on naming them. */
function checkEvent(raw: unknown, place: StoredCommit & { readonly version: number }): Event {
  const { event, faults } = readEvent(raw);
  const { [droppedKeys]: dropped } = raw as { readonly [droppedKeys]?: readonly string[] };
  if (faults.length > 0) assertFitting(faults, place, dropped);
  if (dropped === undefined) return event;
  const { [droppedKeys]: _, ...known } = event as Event & { readonly [droppedKeys]?: unknown };
  return Object.freeze({ ...known, dropped }) as Event;
}

/** Of version 1, fields that are not known are those that were given up since. */
function assertFitting(
  faults: readonly Fault[],
  place: StoredCommit & { readonly version: number },
  dropped: readonly string[] = [],
): void {
  const counting = faults.filter(
    ({ path, unknown }) => !isOf(dropped, path) && !(unknown === 'field' && place.version === 1),
  );
  if (counting.length === 0) return;
  if (counting.some(({ unknown }) => unknown === undefined)) throw unreadable(place, counting);
  throw tooNew(place, place.version, wordsOf(counting));
}

function isOf(dropped: readonly string[], [first, second]: readonly unknown[]): boolean {
  return first === 'data' && dropped.includes(second as string);
}

function fetchAll({ events }: RawCommit, source: BlobSource): Promise<unknown[]> {
  return Promise.all(events.map((event) => (event.blobs === undefined ? event : fetchBlobs(event, source))));
}

async function fetchBlobs({ blobs, ...event }: RawEvent, source: BlobSource): Promise<unknown> {
  const data = { ...event.data };
  const dropped: string[] = [];
  for (const [key, hash] of Object.entries(blobs!)) {
    const text = await source.readBlob(hash);
    if (text === undefined) dropped.push(key);
    else data[key] = JSON.parse(text) as unknown;
  }
  return { ...event, data, ...(dropped.length > 0 && { [droppedKeys]: dropped }) };
}

/** `what` is not known, though the version is: whoever wrote it came in between. */
function tooNew({ run, seq }: StoredCommit, version: number, what?: string): PitonError {
  const holds = what === undefined ? '' : `, and holds what this one does not know: ${what}`;
  const message = `Commit ${run}@${seq} was written by a newer Piton (journal version ${version}; this one reads up to ${journalVersion})${holds}.`;
  const needed =
    what === undefined ? `to one that reads journal version ${version}` : 'to the one that wrote it';
  return new PitonError('RUN_TOO_NEW', message, {
    run,
    seq,
    version,
    remedy: `Update Piton ${needed}, or a later one. The journal was left as it is.`,
  });
}

function wordsOf(faults: readonly Fault[]): string {
  return faults
    .map(({ path, expected, unknown }) =>
      unknown === 'field' ? `the field ${path.join('.')}` : `${path.join('.')} is not ${expected}`,
    )
    .join('; ');
}

function unreadable({ run, seq }: StoredCommit, faults: readonly Fault[]): PitonError {
  const wrong = faults.map(({ path, expected }) => `${path.join('.') || 'it'} is not ${expected}`).join('; ');
  return new PitonError(
    'RUN_UNREADABLE',
    `Commit ${run}@${seq} holds an event that this Piton does not understand.`,
    {
      run,
      seq,
      cause: new Error(wrong),
      remedy: 'Use the version of Piton that wrote it, and report this.',
    },
  );
}
