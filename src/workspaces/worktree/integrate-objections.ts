import { loadPatterns } from '../../model/index.ts';
import type { Integration, RefChange } from '../contract.ts';
import {
  assertFiltered,
  changedFiles,
  findForeignChanges,
  keepCommit,
  mergeBaseOf,
  type ChangedFile,
  type Git,
} from '../git/index.ts';
import { unnamedSteering } from '../steering-paths.ts';
import { bringModules } from './bring-modules.ts';
import type { Work } from './integrate-work.ts';
import type { Made } from './take-result.ts';
import { mayWrite } from './write-patterns.ts';

export interface Seen {
  /** All refs, as they are now. */
  readonly refs: ReadonlyMap<string, string>;
  /** The branch of the run. */
  readonly ours: string;
}

export type Objection = Extract<Integration, { type: 'exceeded' | 'steering' | 'secrets' | 'refs' }>;

interface Looked {
  readonly made: Made;
  readonly seen: Seen;
}

/**
 * What a person has to be asked about before it is brought in. Whoever has adopted it was asked. Throws `FILTER_MISSING`,
 * `SUBMODULE_UNKNOWN`.
 */
export async function objectionTo(git: Git, work: Work, looked: Looked): Promise<Objection | undefined> {
  const found = await changedIn(git, work, looked);
  if (work.isAdopted) return bringModules(git, work, { ...looked, files: found });
  const { writes = [], repository } = work;
  const paths = found.map(({ path }) => path);
  const allowedBy = await allowing(repository.prefix);
  const files = writes.length === 0 ? [] : paths.filter((path) => !allowedBy(writes)(path));
  if (files.length > 0) return { type: 'exceeded', files: files.toSorted() };
  const steering = steeringAmong(paths, writes, allowedBy);
  if (steering !== undefined) return steering;
  await assertFiltered(git, repository, { commit: looked.made.commit, paths });
  const leaked = await bringModules(git, work, { ...looked, files: found });
  if (leaked !== undefined) return leaked;
  const changes = [...(await foreignChanges(git, work, looked)), ...(await configChanges(git, work))];
  return changes.length === 0 ? undefined : { type: 'refs', changes };
}

/**
 * The same of what has come of it by a merge: git follows renames, so that what a task has written may come to lie where another one has
 * moved the file.
 */
export async function objectionToMerge(
  git: Git,
  { isAdopted, repository, writes = [] }: Work,
  sides: { readonly from: string; readonly to: string },
): Promise<Objection | undefined> {
  if (isAdopted) return undefined;
  const found = await changedFiles(git, repository, sides);
  const paths = found.map(({ path }) => path);
  return steeringAmong(paths, writes, await allowing(repository.prefix));
}

type Allowing = (patterns: readonly string[]) => (path: string) => boolean;

async function allowing(prefix: string): Promise<Allowing> {
  const { matchesPattern } = await loadPatterns();
  return (patterns) => mayWrite(patterns, prefix, matchesPattern);
}

function steeringAmong(
  paths: readonly string[],
  writes: readonly string[],
  allowedBy: Allowing,
): Objection | undefined {
  const files = unnamedSteering(paths, writes, allowedBy);
  return files.length === 0 ? undefined : { type: 'steering', files: files.toSorted() };
}

/** Only what the task has changed itself: what was merged in lies behind the point where both branches meet. */
async function changedIn(
  git: Git,
  { repository, known }: Work,
  { made, seen: { ours } }: Looked,
): Promise<readonly ChangedFile[]> {
  if (made.isUnchanged) return [];
  const isForward = made.parents.includes(ours);
  const met = isForward ? ours : await mergeBaseOf(git, repository, [made.commit, ours]);
  return changedFiles(git, repository, { from: met ?? known.base, to: made.commit });
}

/** Piton's own git goes on with what was recorded; but that of the user would start what is there now. */
async function configChanges(git: Git, { repository, knownRefs = [] }: Work): Promise<readonly RefChange[]> {
  const changes = await git.configChanges(repository);
  const told = changes.map(({ key, before, after }) => ({ ref: `config ${key}`, before, after }));
  return told.filter(({ ref, after }) => knownRefs.findLast((one) => one.ref === ref)?.after !== after);
}

/** What refs pointed to is kept, before anybody is asked. */
async function foreignChanges(
  git: Git,
  { run, task, repository, known, knownRefs: told = [] }: Work,
  { made, seen }: Looked,
): Promise<readonly RefChange[]> {
  const knownRefs = told.filter(({ ref }) => !ref.startsWith('config '));
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
