import { asError, someNames } from '../../base/index.ts';
import type { Place } from '../contract.ts';
import type { Health, Look } from '../upkeep-contract.ts';
import {
  driftOf,
  entryAt,
  listWorktrees,
  readLink,
  tidyRecord,
  readStatus,
  ownPlace,
  type Drift,
  type Git,
  type WorktreeEntry,
} from '../git/index.ts';
import { isOurs, slotOf, type WorktreeRequest } from './standing.ts';

type Request = WorktreeRequest & { readonly known: Place };

/** So many gits at once: more would only wait for each other. */
const atOnce = 8;

/** How places are, by looking: git is asked once for each repository, and once for each place that is there. */
export async function lookAtPlaces(git: Git, requests: readonly Request[]): Promise<readonly Look[]> {
  const groups = Map.groupBy(requests, ({ repository }) => repository.commonDir);
  const looks = new Map<Request, Look>();
  for (const group of groups.values()) {
    const entries = await listWorktrees(git, group[0]!.repository);
    const waiting = [...group];
    const worker = async (): Promise<void> => {
      for (let request = waiting.shift(); request !== undefined; request = waiting.shift())
        looks.set(request, await lookAt(git, request, entries));
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }
  return requests.map((request) => looks.get(request)!);
}

async function lookAt(git: Git, request: Request, entries: readonly WorktreeEntry[]): Promise<Look> {
  const { token } = request.known;
  try {
    return { token, ...(await healthOf(git, request, entries)) };
  } catch (error) {
    return { token, health: 'unknown', text: asError(error).message };
  }
}

type Seen = { readonly health: Health; readonly text: string };

async function healthOf(git: Git, request: Request, entries: readonly WorktreeEntry[]): Promise<Seen> {
  const { run, task, known, repository } = request;
  const path = await ownPlace(known.path);
  const link = await readLink(path);
  if (link.type === 'absent') return { health: 'missing', text: 'its folder is gone' };
  const entry = entryAt(entries, path);
  const marker = entry?.gitDir === undefined ? undefined : await tidyRecord(entry.gitDir);
  const slot = slotOf(request);
  if (slot !== undefined && marker?.slot === slot && !isOurs(request, known.token, marker))
    return { health: 'missing', text: `its slot was taken by ${marker.task}` };
  const drift = await driftOf({ run, task, token: known.token, repository }, { entry, link });
  if (drift !== undefined) return { health: 'drifted', text: `${drifts[drift.how]}: ${drift.found}` };
  return inside(git, { path, gitDir: entry!.gitDir!, commonDir: repository.commonDir });
}

const drifts: Readonly<Record<Drift, string>> = {
  'replaced-folder': 'another folder has taken its place',
  'other-repository': 'it belongs to another repository',
  'other-owner': 'it does not bear the mark of this task',
  unregistered: 'git does not know it any more',
};

/** Wherever HEAD is: its result is taken from there. */
async function inside(git: Git, worktree: Parameters<typeof readStatus>[1]): Promise<Seen> {
  const { head, changes } = await readStatus(git, worktree);
  if (head === undefined) return { health: 'drifted', text: 'its HEAD has no commit' };
  if (changes.length === 0) return { health: 'clean', text: 'nothing in it is uncommitted' };
  return { health: 'dirty', text: `not committed: ${someNames(changes, 3)}` };
}
