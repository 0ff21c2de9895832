import { rename, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { asError, crashPoint, deleteTree, effect, hasCode } from '../../base/index.ts';
import type { CleanupPolicy } from '../../model/index.ts';
import type { Cleaned, Filling, Place, PlaceRequest } from '../contract.ts';
import type { CleanRequest } from '../upkeep-contract.ts';

import { encodeName } from '../git/index.ts';
import { whyKept } from '../why-kept.ts';
import { archiveFolder, archivesOf, type ArchiveTools } from './archive.ts';
import { findLost, someOf } from './find-lost.ts';
import { readMarker, removeMarker } from './marker.ts';
import { standingOf } from './standing.ts';

export interface CleanTools extends ArchiveTools {
  readonly filling: Filling;
}

/** Removes the folder, or archives it if it holds anything that is nowhere else. */
export async function cleanDirectory(
  tools: CleanTools,
  request: CleanRequest,
  policy: CleanupPolicy,
): Promise<Cleaned> {
  const { known, hasSucceeded } = request;
  const kept = whyKept(policy, hasSucceeded);
  if (kept !== undefined) return { how: 'kept', reason: kept };
  const standing = await standingOf(known);
  if (standing.type === 'foreign' || standing.type === 'other') {
    return { how: 'kept', reason: `${known.path} ${standing.why}` };
  }
  const isThere = standing.type === 'ours';
  const cleaned = isThere ? await takeAway(tools, request, policy) : await finish(tools, request);
  // Last of all: by it, what is gone is known as ours.
  if ((await readMarker(known.path))?.token === known.token) await removeMarker(known.path);
  await tools.filling.release(known);
  await removeIfEmpty(dirname(known.path));
  return cleaned;
}

function takeAway(tools: CleanTools, request: CleanRequest, policy: CleanupPolicy): Promise<Cleaned> {
  const { run, task, known, hasSucceeded, at } = request;
  const taken = { ...known, run, task, at };
  if (policy === 'archive') return archive(tools, taken, 'cleanup is archive');
  if (policy === 'archive-on-failure' && !hasSucceeded)
    return archive(tools, taken, 'the task did not succeed');
  return removeOrArchive(tools, request, taken);
}

/** What is to be taken away: a folder that bears this mark. */
export interface Taken {
  readonly run: string;
  readonly task: string;
  readonly path: string;
  readonly token: string;
  readonly at: number;
  readonly order?: string;
}

/** `request`: says what was brought there, and what it is a copy of. */
export async function removeOrArchive(
  tools: CleanTools,
  request: PlaceRequest,
  taken: Taken,
): Promise<Cleaned> {
  const { filling, caches } = tools;
  // What cannot be looked at can still be kept.
  const lost = await findLost({ filling, caches, request, path: taken.path, isQuick: false }).catch(
    (error: unknown) => [`what cannot be read (${asError(error).message})`],
  );
  if (lost.length > 0) return archive(tools, taken, `it holds ${someOf(lost)}`);
  await removeFolder(taken);
  return { how: 'removed', reason: 'nothing in it was new or changed' };
}

async function archive(tools: CleanTools, taken: Taken, reason: string): Promise<Cleaned> {
  const { run, task, path, token, at, order } = taken;
  const facts = { run, task, path, token, at, ...(order !== undefined && { order }) };
  return { how: 'archived', reason, ref: await archiveFolder(tools, facts) };
}

/** Set aside in one step: a half-deleted folder at its old place would look like work that somebody has destroyed. */
async function removeFolder(taken: Pick<Place, 'path' | 'token'>): Promise<void> {
  const { path } = taken;
  await deleteTree(asideOf(taken));
  await effect('directory.set-aside', () => rename(path, asideOf(taken)));
  await deleteTree(asideOf(taken));
  crashPoint('after:directory.removed');
}

function asideOf({ path, token }: Pick<Place, 'path' | 'token'>): string {
  return `${path}.removed-${encodeName(token)}`;
}

/** It is gone: by a person, or by an earlier try that was cut off. */
async function finish(tools: CleanTools, { run, task, known, at }: CleanRequest): Promise<Cleaned> {
  await deleteTree(asideOf(known));
  const kept = (await archivesOf(tools, { run, task })).find(
    (archive) => archive.token === known.token && archive.at === at,
  );
  if (kept === undefined) return { how: 'removed', reason: 'it was gone already' };
  return { how: 'archived', reason: 'it was archived before', ref: kept.ref };
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    const isExpected = ['ENOTEMPTY', 'EEXIST', 'ENOENT'].some((code) => hasCode(error, code));
    if (!isExpected) throw error;
  }
}
