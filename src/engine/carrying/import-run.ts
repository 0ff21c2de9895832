import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { asError, effect, hasCode, PitonError } from '../../base/index.ts';
import { fold, statusOf, tasksLeftBehind } from '../../kernel/index.ts';
import { isFinal, journalVersion, type Commit, type Event, type Origin } from '../../model/index.ts';
import type { Blob, ImportedCommit, ImportRunRequest } from '../../store/index.ts';
import type { RepositoryOrigin, RestoredRefs, Upkeep } from '../../workspaces/index.ts';
import { encodeCommit } from '../codec.ts';
import { expectedRecord } from '../expected-record.ts';
import { passCrashPoints } from '../journal.ts';
import { findLostEnd } from '../lost-end.ts';
import { leaseName, type EnginePorts } from '../options.ts';
import { members } from './format.ts';
import { originHere } from './origin-here.ts';
import { readExport, type ExportedRun } from './read-export.ts';
import { ExportFile } from './read-members.ts';

export type ImportPorts = Pick<EnginePorts, 'store' | 'spool' | 'workspaces' | 'clock'> & {
  readonly upkeep: Pick<Upkeep, 'unpack' | 'restoreRefs'>;
};

/** Where a run is imported to. */
export interface ImportOptions {
  /** Of the project: if it is in a git repository, the files of the run are brought there. Default: the working directory. */
  readonly folder?: string;
}

/** What came of an import. */
export interface Imported {
  readonly run: string;
  /** `present`: this store had it already, with all that is in the file. */
  readonly outcome: 'imported' | 'present';
  /** The last checkpoint that is in the file. */
  readonly seq: number;
  /** Tasks that were under way, or had places, where it came from: a person decides about them. */
  readonly held: readonly string[];
  /** Branches and other refs that are there now, and those that others of the same name kept out. */
  readonly refs: RestoredRefs;
  /** What was not brought along, and why; and what to know before it goes on. */
  readonly notes: readonly string[];
}

/**
 * Adds a run from a file that `exportRun` has written. What is in the file is verified first; the store changes in one transaction, and
 * nothing is started. Throws `EXPORT_INVALID`, `EXPORT_TOO_NEW`, `RUN_EXISTS`, `RUN_TOO_NEW`, `FILE_UNREADABLE`, `RUN_ID_INVALID`.
 */
export async function importRun(
  ports: ImportPorts,
  path: string,
  { folder = process.cwd() }: ImportOptions = {},
): Promise<Imported> {
  const file = ExportFile.open(resolve(path));
  try {
    const exported = await readExport(file);
    const files = await unpackFiles(ports, { file, exported, folder });
    const { outcome, held } = await add(
      ports,
      exported,
      originHere(ports.store, exported, { folder, ...files }),
    );
    const { run, seq, refs } = exported.about;
    const restored = files.repository && (await ports.upkeep.restoreRefs(files.repository, { run, refs }));
    const behind = await lostEndOf(ports, run);
    return {
      run,
      outcome,
      seq,
      held,
      refs: restored ?? { restored: [], kept: [] },
      notes: [...files.notes, ...(behind === undefined ? [] : [behind])],
    };
  } finally {
    file.close();
  }
}

interface Bringing {
  readonly file: ExportFile;
  readonly exported: ExportedRun;
  readonly folder: string;
}

export interface BroughtFiles {
  /** Absent: its files are in no repository here. */
  readonly repository?: RepositoryOrigin;
  readonly notes: readonly string[];
}

/** Before the store knows the run: objects that nothing refers to harm nobody, and after a kill they are brought again. */
async function unpackFiles(ports: ImportPorts, { file, exported, folder }: Bringing): Promise<BroughtFiles> {
  const { run, refs, base } = exported.about;
  if (Object.keys(refs).length === 0) return { notes: [] };
  const repository = await ports.workspaces.find(folder, undefined).catch(() => undefined);
  if (repository === undefined)
    return { notes: [`The files of the run were left in the file: ${folder} is in no git repository.`] };
  const bundle = file.has(members.files) ? await copyOut(file) : undefined;
  try {
    const order = {
      run,
      refs,
      ...(bundle !== undefined && { file: bundle.path }),
      ...(base !== undefined && { base }),
    };
    if (await ports.upkeep.unpack(repository, order)) return { repository, notes: [] };
    const missing = `The files of the run were left in the file: ${repository.root} has no commit ${base}, from which it began.`;
    return { notes: [`${missing} Fetch it there, and import the file again.`] };
  } catch (error) {
    if (!hasCode(error, 'GIT_FAILED')) throw error;
    throw file.invalid(`git refuses the files in it (${asError(error).message})`);
  } finally {
    if (bundle !== undefined) await rm(bundle.folder, { recursive: true, force: true });
  }
}

async function copyOut(file: ExportFile): Promise<{ readonly folder: string; readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'piton-import-'));
  const path = join(folder, members.files);
  const handle = await open(path, 'wx', 0o600);
  try {
    for (const piece of file.pieces(members.files)) await handle.writeFile(piece);
  } finally {
    await handle.close();
  }
  return { folder, path };
}

type Added = Pick<Imported, 'outcome' | 'held'>;

async function add(ports: ImportPorts, exported: ExportedRun, origin: Origin | undefined): Promise<Added> {
  const { store } = ports;
  const present = await findPresent(ports, exported);
  if (present !== undefined) return present;
  const { request, event } = await requestFor(ports, exported, origin);
  const { run } = exported.about;
  await forgetPruned(ports, run);
  const events = [event];
  try {
    passCrashPoints('before', events);
    await effect('store.run-imported', () => store.importRun(request));
    passCrashPoints('after', events);
  } catch (error) {
    const meanwhile = hasCode(error, 'RUN_EXISTS') ? await findPresent(ports, exported) : undefined;
    if (meanwhile === undefined) throw error;
    return meanwhile;
  }
  return { outcome: 'imported', held: event.data.held };
}

/** The hash of a commit covers all before it: where the last one is, the whole of it is. */
async function findPresent({ store }: ImportPorts, exported: ExportedRun): Promise<Added | undefined> {
  const { run, seq, hash } = exported.about;
  if ((await store.findRun(run)) === undefined) return undefined;
  const [found] = await store.readCommits(run, { after: seq - 1, limit: 1 });
  if (found?.hash === hash) return { outcome: 'present', held: [] };
  throw await isAnother({ store }, exported);
}

async function isAnother(
  { store }: Pick<ImportPorts, 'store'>,
  { about, commits }: ExportedRun,
): Promise<PitonError> {
  const { run, seq } = about;
  const [first] = await store.readCommits(run, { after: 0, limit: 1 });
  const head = (await store.findRun(run))?.seq ?? 0;
  const isSame = first?.hash === commits[0]!.hash;
  const what = isSame
    ? `This store has run ${run} up to ${run}@${head}, and the file up to ${run}@${seq}: they went on apart, or the one here is older.`
    : `This store has another run ${run}.`;
  return new PitonError('RUN_EXISTS', `${what} Nothing was imported.`, {
    run,
    seq,
    remedy: `Import it in another project (piton -C <folder> import …), or remove the run that is here first. It cannot be given another id, since its hashes cover the id.`,
  });
}

/** Somebody has removed a run of that id on purpose, and was killed before all that told of it was gone. */
async function forgetPruned({ store, spool }: ImportPorts, run: string): Promise<void> {
  const { heads } = spool;
  heads.forget(run);
  if ((await heads.isPruned(run)) && (await store.findRun(run)) === undefined) await heads.remove(run);
}

type ImportEvent = Extract<Event, { type: 'run.imported' }>;

/** A commit is added: whatever is done with the run is done here. One that has not ended does not go on by itself, and what was under way is held. */
async function requestFor(
  ports: ImportPorts,
  exported: ExportedRun,
  origin: Origin | undefined,
): Promise<{ readonly request: ImportRunRequest; readonly event: ImportEvent }> {
  const { commits, quarantined, snapshot, blobs } = exported;
  const { run } = exported.about;
  const epoch = commits.reduce((highest, commit) => Math.max(highest, epochOf(commit)), 0);
  const event = eventFor(exported, origin);
  const events = [event, ...droppedEvents(exported)];
  const added = commitOf(ports, exported, { events, epoch: epoch + 1 });
  const all = [...commits, added.commit];
  const own = added.blobs;
  const source = {
    readBlob: async (hash: string) => own.find((blob) => blob.hash === hash)?.text ?? exported.readBlob(hash),
    loadSnapshot: (name: string, upTo: number) => exported.loadSnapshot(name, upTo),
    quarantined: async () => [...quarantined],
  };
  const request = {
    record: await expectedRecord(source, all),
    commits: all,
    blobs: {
      *[Symbol.iterator]() {
        yield* blobs;
        yield* own;
      },
    },
    quarantined,
    ...(snapshot !== undefined && { snapshot }),
    lease: { name: leaseName(run), epoch: epoch + 1 },
  };
  return { request, event };
}

function epochOf({ body }: ImportedCommit): number {
  const { epoch } = JSON.parse(body) as { readonly epoch?: unknown };
  return Number.isSafeInteger(epoch) ? Math.max(0, Number(epoch)) : 0;
}

function eventFor({ loaded: { state } }: ExportedRun, origin: Origin | undefined): ImportEvent {
  const host = state.driver?.host;
  const where = host === undefined ? 'elsewhere' : `on ${host}`;
  const data = {
    held: tasksLeftBehind(state),
    reason: `it was imported: it ran ${where} before, and what became of it there cannot be seen from here`,
    ...(host !== undefined && { host }),
    ...(origin !== undefined && { origin }),
  };
  return { type: 'run.imported', data };
}

/** A run that has dropped values does not end with its last snapshot any more, which told so. */
function droppedEvents({ snapshot, loaded: { state } }: ExportedRun): readonly Event[] {
  if (snapshot === undefined || state.payloadsDroppedAt !== undefined) return [];
  return [{ type: 'payloads.dropped', data: { at: state.at } }];
}

function commitOf(
  { clock }: ImportPorts,
  { loaded: { state, head } }: ExportedRun,
  { events, epoch }: { readonly events: readonly Event[]; readonly epoch: number },
): { readonly commit: ImportedCommit; readonly blobs: readonly Blob[] } {
  // Nothing has happened in a run that had ended.
  const at = isFinal(statusOf(state)) ? state.at : Math.max(clock.now(), state.at);
  const seq = head.seq + 1;
  for (const event of events) fold(state, event, { seq, at });
  const commit: Commit = { run: state.run, seq, at, epoch, version: journalVersion, events };
  const { stored, blobs } = encodeCommit(commit, head.hash);
  return { commit: { ...stored, at, blobs: blobs.map(({ hash }) => hash) }, blobs };
}

/** Something here may know more of the run than the file: then it does not go on before that is repaired. */
async function lostEndOf(ports: ImportPorts, run: string): Promise<string | undefined> {
  const record = await ports.store.findRun(run);
  const lost = record && (await findLostEnd(ports, record).catch(asError));
  return lost?.message;
}
