import { genesis, hasCode, isPlainObject, PitonError } from '../../base/index.ts';
import type { StoredCommit } from '../../model/index.ts';
import { fromLine, type Blob, type ImportedCommit, type Snapshot } from '../../store/index.ts';
import { faultOf } from '../chain.ts';
import { blobsOf } from '../codec.ts';
import { foldCommits, type FoldSource, type LoadedRun } from '../load-run.ts';
import { blobHashes } from './blob-hashes.ts';
import { members, readAbout, type AboutExport } from './format.ts';
import type { ExportFile } from './read-members.ts';

/** A run as an export tells it, verified: whoever reads it through this gets what was written, or an error. */
export interface ExportedRun extends FoldSource {
  readonly about: AboutExport;
  readonly commits: readonly ImportedCommit[];
  readonly quarantined: readonly ImportedCommit[];
  readonly snapshot?: Snapshot;
  /** Read one at a time, as often as it is asked for. */
  readonly blobs: Iterable<Blob>;
  readonly loaded: LoadedRun;
}

/**
 * Reads all of it and believes nothing: the chain, every event, every value, and that nothing is in it which belongs to nobody.
 * Throws `EXPORT_INVALID`, `EXPORT_TOO_NEW`, `RUN_ID_INVALID`, `RUN_TOO_NEW`, `RUN_UNREADABLE`.
 */
export async function readExport(file: ExportFile): Promise<ExportedRun> {
  try {
    return await readAll(file);
  } catch (error) {
    if (error instanceof PitonError && !hasCode(error, 'BLOB_MISSING')) throw error;
    throw file.invalid(`what it tells cannot have happened (${(error as Error).message})`);
  }
}

async function readAll(file: ExportFile): Promise<ExportedRun> {
  const about = readAbout(file.json(members.about));
  if (about === undefined) throw file.invalid(`${members.about} does not say what it is`);
  const { run } = about;
  const journal = readLines(file, { prefix: 'journal/', run });
  const aside = readLines(file, { prefix: 'quarantine/', run });
  assertChain(file, about, journal);
  const snapshot = readSnapshot(file, journal);
  const present = assertBlobs(file, [...journal, ...aside]);
  assertDropped(file, journal, { present, snapshot });
  const withBlobs = (commit: StoredCommit): ImportedCommit => ({
    ...commit,
    at: timeOf(commit),
    blobs: blobHashes(commit).filter((hash) => present.has(hash)),
  });
  const source: FoldSource = {
    readBlob: async (hash) => file.text(members.blob(hash)),
    loadSnapshot: async (_, upTo) => (snapshot !== undefined && snapshot.seq <= upTo ? snapshot : undefined),
  };
  const loaded = await foldCommits(source, journal);
  if (snapshot !== undefined) assertOfRun(file, about, loaded);
  return {
    ...source,
    about,
    commits: journal.map(withBlobs),
    quarantined: aside.map(withBlobs),
    ...(snapshot !== undefined && { snapshot }),
    blobs: blobsIn(file, present),
    loaded,
  };
}

function blobsIn(file: ExportFile, present: ReadonlySet<string>): Iterable<Blob> {
  return {
    *[Symbol.iterator]() {
      for (const hash of present) yield { hash, text: file.text(members.blob(hash)) };
    },
  };
}

function readLines(
  file: ExportFile,
  { prefix, run }: { readonly prefix: string; readonly run: string },
): StoredCommit[] {
  return file.names(prefix).flatMap((name) => {
    const lines = file.text(name).split('\n');
    if (lines.pop() !== '') throw file.invalid(`${name} does not end with a whole line`);
    return lines.map((line, index) => {
      const commit = fromLine(run, line);
      if (commit === undefined) throw file.invalid(`line ${index + 1} of ${name} is no commit`);
      if (!/^[0-9a-f]{64}$/.test(commit.hash)) throw file.invalid(`line ${index + 1} of ${name} has no hash`);
      return commit;
    });
  });
}

function assertChain(file: ExportFile, about: AboutExport, journal: readonly StoredCommit[]): void {
  let previous = { seq: 0, hash: genesis };
  for (const commit of journal) {
    const fault = faultOf(commit, previous);
    if (fault !== undefined) throw file.invalid(fault);
    if (!isCommit(file.parse(commit.body, `commit ${commit.seq}`)))
      throw file.invalid(`commit ${commit.seq} does not have what a commit has`);
    previous = commit;
  }
  if (previous.seq === 0 || previous.seq !== about.seq || previous.hash !== about.hash) {
    throw file.invalid(`its journal does not end with the commit ${about.run}@${about.seq} that it names`);
  }
}

function isCommit(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    Number.isFinite(value['at']) &&
    Number.isSafeInteger(value['epoch']) &&
    Number.isSafeInteger(value['version']) &&
    Array.isArray(value['events']) &&
    value['events'].every((event) => isPlainObject(event) && isPlainObject(event['data']))
  );
}

/** All that are there are named by a commit, and are JSON. Gives them in the order of their names. */
function assertBlobs(file: ExportFile, commits: readonly StoredCommit[]): ReadonlySet<string> {
  const named = new Set(commits.flatMap(blobHashes));
  const present = new Set(file.names('blobs/').map((name) => name.slice('blobs/'.length)));
  for (const hash of present) {
    if (!named.has(hash)) throw file.invalid(`no commit refers to ${members.blob(hash)}`);
    file.json(members.blob(hash));
  }
  return present;
}

interface Kept {
  readonly present: ReadonlySet<string>;
  readonly snapshot: Snapshot | undefined;
}

/**
 * Values may be missing that a run has dropped after an end, but never its definition; then, and only then, what came of them is told by a
 * snapshot. Otherwise a snapshot could tell something else than the journal.
 */
function assertDropped(
  file: ExportFile,
  journal: readonly StoredCommit[],
  { present, snapshot }: Kept,
): void {
  const missing = journal.flatMap((commit) =>
    blobsOf(commit).flatMap(({ name, hash }) => (present.has(hash) ? [] : [{ seq: commit.seq, name, hash }])),
  );
  const told = snapshot?.seq ?? 0;
  const lost = missing.find(({ name, seq }) => name === 'workflow' || (seq > told && name !== 'entries'));
  if (lost !== undefined)
    throw file.invalid(
      `the value ${lost.name} of commit ${lost.seq} is missing (${members.blob(lost.hash)})`,
    );
  if (snapshot !== undefined && missing.length === 0)
    throw file.invalid(`it has ${members.snapshot}, and all values`);
}

/** Of a snapshot, only its checksum was verified. */
function assertOfRun(file: ExportFile, { run, seq }: AboutExport, { state }: LoadedRun): void {
  if (state.run !== run || state.seq !== seq) throw file.invalid(`${members.snapshot} is of another run`);
}

function readSnapshot(file: ExportFile, journal: readonly StoredCommit[]): Snapshot | undefined {
  if (!file.has(members.snapshot)) return undefined;
  const value = file.json(members.snapshot);
  const { seq, hash, format, text } = isPlainObject(value) ? value : {};
  const commit = journal[Number(seq) - 1];
  if (commit === undefined || commit.hash !== hash || typeof format !== 'number' || typeof text !== 'string')
    throw file.invalid(`${members.snapshot} is of none of its commits`);
  file.parse(text.slice(64), members.snapshot);
  return { run: commit.run, seq: commit.seq, hash, format, text };
}

/** Of what was moved aside, no more than its text is known. */
function timeOf({ body }: StoredCommit): number {
  try {
    const { at } = JSON.parse(body) as { readonly at?: unknown };
    return typeof at === 'number' ? at : 0;
  } catch {
    return 0;
  }
}
