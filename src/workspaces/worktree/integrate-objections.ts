import type { Integration, RefChange } from '../contract.ts';
import { findForeignChanges, keepCommit, mergeBaseOf, pathsBetween, type Git } from '../git/index.ts';
import type { Work } from './integrate-work.ts';
import type { Made } from './take-result.ts';
import { mayWrite } from './write-patterns.ts';

export interface Seen {
  /** All refs, as they are now. */
  readonly refs: ReadonlyMap<string, string>;
  /** The branch of the run. */
  readonly ours: string;
}

type Objection = Extract<Integration, { type: 'exceeded' | 'refs' }>;

/** What a person has to be asked about before it is brought in. Whoever has adopted it was asked. */
export async function objectionTo(
  git: Git,
  work: Work,
  { made, seen }: { readonly made: Made; readonly seen: Seen },
): Promise<Objection | undefined> {
  if (work.isAdopted) return undefined;
  const files = await filesBeyond(git, work, { made, seen });
  if (files.length > 0) return { type: 'exceeded', files };
  const changes = await foreignChanges(git, work, { made, seen });
  return changes.length === 0 ? undefined : { type: 'refs', changes };
}

/** Only what the task has changed itself: what was merged in lies behind the point where both branches meet. */
async function filesBeyond(
  git: Git,
  { writes = [], repository, known }: Work,
  { made, seen: { ours } }: { readonly made: Made; readonly seen: Seen },
): Promise<readonly string[]> {
  if (writes.length === 0 || made.isUnchanged) return [];
  const isForward = made.parents.includes(ours);
  const met = isForward ? ours : await mergeBaseOf(git, repository, [made.commit, ours]);
  const paths = await pathsBetween(git, repository, [met ?? known.base, made.commit]);
  const isAllowed = mayWrite(writes, repository.prefix);
  return paths.filter((path) => !isAllowed(path)).sort();
}

/** What refs pointed to is kept, before anybody is asked. */
async function foreignChanges(
  git: Git,
  { run, task, repository, known, knownRefs = [] }: Work,
  { made, seen }: { readonly made: Made; readonly seen: Seen },
): Promise<readonly RefChange[]> {
  const { worktree, marker } = made;
  if (marker.refs === undefined) return [];
  const isKnown = (entry: string): boolean => knownRefs.some(({ before }) => before === entry);
  const changes = await findForeignChanges(git, {
    worktree,
    before: lastKnown(marker.refs, knownRefs),
    after: seen.refs,
    stashes: marker.stashes.filter((entry) => !isKnown(entry)),
    origin: repository.base,
    holders: [known.base, seen.ours],
  });
  for (const { before } of changes) {
    if (before !== undefined) await keepCommit(git, repository, { run, task, commit: before });
  }
  return changes;
}

function lastKnown(
  refs: Readonly<Record<string, string>>,
  known: readonly RefChange[],
): ReadonlyMap<string, string> {
  const last = new Map(Object.entries(refs));
  for (const { ref, after } of known) {
    if (after === undefined) last.delete(ref);
    else last.set(ref, after);
  }
  return last;
}
