import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { asError, effect, hasCode, PitonError, randomId } from '../../base/index.ts';
import type { StoredCommit } from '../../model/index.ts';
import { toLine, type Snapshot, type Store } from '../../store/index.ts';
import type { Upkeep } from '../../workspaces/index.ts';
import { damaged } from '../chain.ts';
import { loadRun } from '../load-run.ts';
import { findLostEnd } from '../lost-end.ts';
import type { EnginePorts } from '../options.ts';
import { examineRun } from '../verify-run.ts';
import { blobHashes } from './blob-hashes.ts';
import { aboutText, commitsPerPart, members, type AboutExport } from './format.ts';
import { MemberWriter } from './write-members.ts';

export type ExportPorts = Pick<EnginePorts, 'store' | 'spool' | 'workspaces'> & {
  readonly upkeep: Pick<Upkeep, 'bundle'>;
};

/** Where and how a run is exported. */
export interface ExportOptions {
  /** Replaces a file that is there. */
  readonly force?: boolean;
  /** `false`: without what the run has made in git. */
  readonly files?: boolean;
  /** `true`: with all commits of the repository that the run builds on, so that it can be brought into any other. */
  readonly history?: boolean;
}

/** What was exported. */
export interface Exported {
  readonly run: string;
  readonly file: string;
  /** The last checkpoint that is in it. */
  readonly seq: number;
  readonly hash: string;
  readonly blobs: number;
  /** So many big values had been dropped before: see `preserve`. */
  readonly dropped: number;
  /** So many branches and other refs. */
  readonly refs: number;
  /** What is not in it, and why. */
  readonly notes: readonly string[];
}

interface Order extends ExportOptions {
  readonly run: string;
  readonly file: string;
}

/**
 * Writes a run into one file: its journal as it is stored, all values, and what it has made in git. Whoever drives it goes on meanwhile.
 * Throws `RUN_NOT_FOUND`, `RUN_DAMAGED`, `EXPORT_EXISTS`, `EXPORT_FAILED`.
 */
export async function exportRun(ports: ExportPorts, given: Order): Promise<Exported> {
  const order = { ...given, file: resolve(given.file) };
  const partial = `${order.file}.${randomId(8)}.partial`;
  const isReserved = order.force !== true;
  if (isReserved) await reserve(order.file);
  try {
    const exported = await twice(() => writeExport(ports, order, partial));
    await effect('export.named', () => rename(partial, order.file));
    await syncFolder(dirname(order.file));
    return exported;
  } catch (error) {
    if (isReserved) await rm(order.file, { force: true });
    throw error;
  } finally {
    for (const left of [partial, bundleOf(partial)]) await rm(left, { force: true });
  }
}

/** The run may have ended meanwhile, and dropped big values, or cleaned up refs. */
async function twice<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!hasCode(error, 'BLOB_MISSING') && !hasCode(error, 'GIT_FAILED')) throw error;
    return work();
  }
}

function bundleOf(partial: string): string {
  return `${partial}.bundle`;
}

async function writeExport(ports: ExportPorts, order: Order, partial: string): Promise<Exported> {
  // In this order: what refs lead to is known to the journal by then, so that it is never behind them.
  const files = await bundleFiles(ports, order, bundleOf(partial));
  const content = await readContent(ports.store, order.run);
  const about = aboutOf(content, files);
  const handle = await open(partial, 'w', 0o600).catch((cause: unknown) => {
    throw unwritable(order.file, cause);
  });
  try {
    await writeMembers(new MemberWriter(handle, content.at), ports.store, { about, content, files });
  } finally {
    await handle.close();
  }
  const behind = await findLostEnd(ports, about).catch(asError);
  return {
    run: about.run,
    file: order.file,
    seq: about.seq,
    hash: about.hash,
    blobs: about.blobs,
    dropped: about.dropped,
    refs: Object.keys(about.refs).length,
    notes: [...files.notes, ...(behind === undefined ? [] : [behind.message])],
  };
}

interface Files {
  readonly refs: Readonly<Record<string, string>>;
  readonly base?: string;
  /** The bundle, if there is anything in it. */
  readonly path?: string;
  readonly notes: readonly string[];
}

async function bundleFiles({ store, upkeep }: ExportPorts, order: Order, path: string): Promise<Files> {
  const { state } = await loadRun(store, order.run);
  const repository = state.origin?.repository;
  if (repository === undefined || order.files === false) return { refs: {}, notes: [] };
  const without = order.history === true ? {} : { base: repository.base };
  try {
    await rm(path, { force: true });
    const { refs, isWritten } = await upkeep.bundle(repository, { run: order.run, file: path, ...without });
    return { refs, ...without, ...(isWritten && { path }), notes: [] };
  } catch (error) {
    if (!hasCode(error, 'FOLDER_MISSING') && !hasCode(error, 'GIT_FAILED')) throw error;
    return { refs: {}, notes: [`Its files are not in it: ${asError(error).message}`] };
  }
}

interface Content {
  readonly commits: readonly StoredCommit[];
  readonly quarantined: readonly StoredCommit[];
  /** Those that are there, in the order in which commits name them. */
  readonly blobs: readonly string[];
  readonly dropped: number;
  readonly snapshot?: Snapshot;
  readonly at: number;
}

async function readContent(store: Store, run: string): Promise<Content> {
  const { commits, damage } = await examineRun({ store }, run, {
    isLastUnbegun: false,
    wasRemoved: false,
    orders: [],
  });
  if (damage !== undefined) throw damaged(store, run, damage);
  const quarantined = await store.quarantined(run);
  const named = new Set([...commits, ...quarantined].flatMap(blobHashes));
  const kept = new Set<string>();
  for (const hash of named) if (await isKept(store, hash)) kept.add(hash);
  const last = commits.at(-1)!;
  const dropped = commits.some((commit) => blobHashes(commit).some((hash) => !kept.has(hash)));
  const snapshot = dropped ? await store.loadSnapshot(run, last.seq) : undefined;
  const { at } = JSON.parse(last.body) as { readonly at: number };
  const content = { commits, quarantined, blobs: [...kept], dropped: named.size - kept.size, at };
  return snapshot === undefined ? content : { ...content, snapshot };
}

/** What is damaged is not carried away: in what was moved aside, it may be the reason for that. */
async function isKept(store: Store, hash: string): Promise<boolean> {
  try {
    await store.readBlob(hash);
    return true;
  } catch (error) {
    if (!hasCode(error, 'BLOB_MISSING') && !hasCode(error, 'STORE_DAMAGED')) throw error;
    return false;
  }
}

function aboutOf({ commits, quarantined, blobs, dropped }: Content, files: Files): AboutExport {
  const { run, seq, hash } = commits.at(-1)!;
  return {
    run,
    seq,
    hash,
    commits: commits.length,
    quarantined: quarantined.length,
    blobs: blobs.length,
    dropped,
    refs: files.refs,
    ...(files.base !== undefined && { base: files.base }),
  };
}

interface Parts {
  readonly about: AboutExport;
  readonly content: Content;
  readonly files: Files;
}

async function writeMembers(
  writer: MemberWriter,
  store: Store,
  { about, content, files }: Parts,
): Promise<void> {
  await writer.add(members.about, aboutText(about));
  await writeParts(writer, members.journal, content.commits);
  await writeParts(writer, members.quarantine, content.quarantined);
  if (content.snapshot !== undefined) {
    const { seq, hash, format, text } = content.snapshot;
    await writer.add(members.snapshot, JSON.stringify({ seq, hash, format, text }));
  }
  for (const hash of content.blobs) await writer.add(members.blob(hash), await store.readBlob(hash));
  if (files.path !== undefined) await writer.addFile(members.files, files.path);
  await writer.finish();
}

async function writeParts(
  writer: MemberWriter,
  nameOf: (part: number) => string,
  commits: readonly StoredCommit[],
): Promise<void> {
  for (let begin = 0, part = 1; begin < commits.length; begin += commitsPerPart, part++) {
    await writer.add(
      nameOf(part),
      commits
        .slice(begin, begin + commitsPerPart)
        .map(toLine)
        .join(''),
    );
  }
}

/** So that nobody's file is overwritten. What bears the name is empty until the export is complete. */
async function reserve(file: string): Promise<void> {
  try {
    await (await open(file, 'wx', 0o600)).close();
  } catch (cause) {
    if (!hasCode(cause, 'EEXIST')) throw unwritable(file, cause);
    throw new PitonError('EXPORT_EXISTS', `There is a file ${file} already.`, {
      file,
      remedy: 'Choose another name, or replace it with --force.',
    });
  }
}

async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // Some file systems cannot sync folders.
  }
}

function unwritable(file: string, cause: unknown): PitonError {
  return new PitonError('EXPORT_FAILED', `${file} cannot be written: ${asError(cause).message}.`, {
    file,
    cause,
    remedy: 'Choose another folder, with -o.',
  });
}
