import { readdir } from 'node:fs/promises';
import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { effect, PitonError } from '../../base/index.ts';
import type { CleanupPolicy } from '../../model/index.ts';
import type { Cleaned, RepositoryOrigin } from '../contract.ts';
import type { CleanRequest } from '../upkeep-contract.ts';
import { inRepository, keepCommit, moveRef, readCommit, readRef } from '../git/index.ts';
import { whyKept } from '../why-kept.ts';
import { Answers } from './answers.ts';
import { stopAttempts } from './attempts.ts';
import { bringHome, ownRef, seenThere, type IgnoredFiles, type Kept } from './keep.ts';
import { markOf, thereOf, type RemotePlace } from './layout.ts';
import { addIgnoredHere } from './lay-out-here.ts';
import { mirrorRequest, updateMirror } from './mirror.ts';
import { removePlace } from './place-programs.ts';
import { keepingOf, lineTo, type PlacedRequest, type Resolved } from './ports.ts';
import { callMachine } from './ssh.ts';

type Order = CleanRequest & { readonly known: RemotePlace; readonly repository: RepositoryOrigin };

/**
 * Everything is brought home first, ignored files too, and the mirror here is cleaned as any worktree: kept in the result or in an
 * archive. Only then, and only if nothing has changed meanwhile, the place there goes.
 */
export async function cleanRemote(
  options: Resolved,
  request: Order,
  policy: CleanupPolicy,
): Promise<Cleaned> {
  const reason = whyKept(policy, request.hasSucceeded);
  if (reason !== undefined) return { how: 'kept', reason };
  try {
    await stopAttempts(options, request.known);
    const order = { ...request, attempt: request.known.token, seq: 0 };
    const cleaned = await cleanBoth(options, order, policy);
    if (cleaned.how !== 'kept') await remove(options, request);
    return cleaned;
  } catch (error) {
    if (!(error instanceof PitonError) || error.code !== 'WORKSPACE_DRIFTED') throw error;
    return { how: 'kept', reason: error.message };
  }
}

type Leaving = Order & { readonly attempt: string; readonly seq: number };

/** What becomes of it; the place there is still as it was. */
async function cleanBoth(options: Resolved, order: Leaving, policy: CleanupPolicy): Promise<Cleaned> {
  const keeping = keepingOf(options, order, 'before it is removed');
  const ignored = await ignoredOf(options, order);
  const kept = await bringHome(keeping, ignored);
  // Removed by an earlier try: what became of it is known here.
  if (kept === undefined)
    return (await options.worktree()).clean(mirrorRequest(options, order, undefined), policy);
  if (kept.left.length > 0) {
    return { how: 'kept', reason: `not all of it can be brought home: ${kept.left.slice(0, 3).join(', ')}` };
  }
  const cleaned = await cleanMirror(options, { order, kept, policy });
  if (cleaned.how === 'kept' || isSame(kept, await seenThere(keeping, ignored))) return cleaned;
  return { ...cleaned, how: 'kept', reason: 'somebody is still working in it' };
}

interface Cleaning {
  readonly order: Leaving;
  readonly kept: Kept;
  readonly policy: CleanupPolicy;
}

async function cleanMirror(options: Resolved, { order, kept, policy }: Cleaning): Promise<Cleaned> {
  await updateMirror(options, order, kept);
  await keepPast(options, order);
  const mirror = mirrorRequest(options, order, kept.commit);
  if (kept.rest !== undefined) await addIgnoredHere(options.git, mirror, kept.rest);
  return (await options.worktree()).clean(mirror, policy);
}

/** Commits that HEAD has been at there, or that were stashed, and that nothing else holds: each gets a ref here. */
async function keepPast({ git }: Resolved, order: Leaving): Promise<void> {
  const { run, task, repository, known } = order;
  const whole = await readRef(git, repository, ownRef({ ...order, place: known }, 'whole'));
  if (whole === undefined) return;
  const [, ...past] = (await readCommit(git, repository, whole)).parents;
  for (const commit of past) await keepCommit(git, repository, { run, task, commit });
}

function isSame(one: Kept, other: Awaited<ReturnType<typeof seenThere>>): boolean {
  return (
    other === undefined || (one.tree === other.tree && one.head === other.head && one.rest === other.rest)
  );
}

async function remove({ git, ...options }: Resolved, request: Order): Promise<void> {
  const { known, repository } = request;
  const there = thereOf(known);
  const args = [there.repository, known.path, known.branch, markOf(known), there.attempts];
  const bytes = await effect('remote.removed', () =>
    callMachine(lineTo({ git, ...options }, known.remote), { program: removePlace, args }),
  );
  if (new Answers(bytes).has('foreign')) throw foreign(known);
  for (const what of ['same', 'coming', 'whole'] as const) {
    const ref = ownRef({ ...request, place: known }, what);
    const from = await readRef(git, repository, ref);
    if (from !== undefined) await moveRef(git, repository, { ref, to: undefined, from });
  }
}

/** Files that were copied there and are still the same are no loss, and a password among them must not get into the repository. */
async function ignoredOf({ git, caches }: Resolved, request: PlacedRequest): Promise<IgnoredFiles> {
  const { copy, folder, repository } = request;
  const files: string[] = [];
  for (const name of copy) files.push(...(await filesIn(folder, name)));
  if (files.length === 0) return { caches, brought: [] };
  const input = files.map((file) => `${join(folder, file)}\n`).join('');
  const args = ['hash-object', '--no-filters', '--stdin-paths'];
  const { stdout } = await git.run(args, { ...inRepository(repository), input });
  const hashes = stdout.trim().split('\n');
  return { caches, brought: files.map((file, index) => [hashes[index]!, join(repository.prefix, file)]) };
}

async function filesIn(folder: string, name: string): Promise<string[]> {
  const path = join(folder, name);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return found === undefined ? [] : [name];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function foreign({ path, remote }: RemotePlace): PitonError {
  return new PitonError('WORKSPACE_DRIFTED', `${path} on ${remote} is the place of somebody else now.`, {
    path,
    remote,
    remedy: 'Look at it there; nothing of it was removed.',
  });
}
