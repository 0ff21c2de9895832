import { PitonError } from '../../base/index.ts';
import {
  listRefs,
  mergeInto,
  runBranch,
  unsolvedFiles,
  type Git,
  type MergeOrder,
  type MergeResult,
} from '../git/index.ts';
import type { MemberRequest } from '../contract.ts';
import { mergeSubject } from '../work-text.ts';
import { lookForWork } from './find-work.ts';
import { objectionTo, objectionToMerge, type Objection } from './integrate-objections.ts';
import { trailersOf, workIn, type IntegrateWork, type Work } from './integrate-work.ts';
import { takeResult, type Made } from './take-result.ts';

type Merged = Omit<Extract<MergeResult, { type: 'merged' }>, 'type'>;

export interface Candidate extends Merged {
  readonly members: readonly string[];
}

/** Merges along what others have made, one after the other; whoever does not fit, or has to be asked about, stays behind. */
export async function mergeWithOthers(git: Git, work: IntegrateWork, first: Merged): Promise<Candidate> {
  const members: string[] = [];
  let { commit, tree } = first;
  if (work.others.length === 0) return { commit, tree, members };
  const refs = await listRefs(git, work.repository);
  for (const other of work.others) {
    const merge = await mergeAlong(git, other, { refs, ours: commit });
    if (merge?.type !== 'merged') continue;
    ({ commit, tree } = merge);
    members.push(other.task);
  }
  return { commit, tree, members };
}

interface Onto {
  readonly refs: ReadonlyMap<string, string>;
  readonly ours: string;
}

/** Undefined: it is not ready to be merged. What is wrong with it is found out by its own turn. */
async function mergeAlong(
  git: Git,
  other: MemberRequest,
  onto: Onto,
): Promise<MergeResult | Objection | undefined> {
  try {
    const work = workIn(other);
    const made = await readyWork(git, work, onto);
    return made && (await mergeWork(git, work, { made, ours: onto.ours }));
  } catch (error) {
    if (error instanceof PitonError) return undefined;
    throw error;
  }
}

async function readyWork(git: Git, work: Work, seen: Onto): Promise<Made | undefined> {
  const found = await lookForWork(work);
  if (found === undefined) return undefined;
  const made = await takeResult(git, work, found);
  if (made.type !== 'made' || made.isUnchanged) return undefined;
  if ((await marksLeftIn(git, work, { made, ours: seen.ours })).length > 0) return undefined;
  return (await objectionTo(git, work, { made, seen })) === undefined ? made : undefined;
}

/** Files of a conflict that was laid out, and that nobody has solved. */
export async function marksLeftIn(
  git: Git,
  { known, isAdopted }: Work,
  { made, ours }: { readonly made: Made; readonly ours: string },
): Promise<readonly string[]> {
  if (made.parents.includes(known.base)) return [];
  const { worktree, commit: theirs } = made;
  const { token } = known;
  return unsolvedFiles(git, { worktree, token, ours, theirs, isTakenAsItIs: isAdopted });
}

/** Merges it, unless a person has to be asked about what comes of that. Moves no ref. */
export async function mergeWork(
  git: Git,
  work: Work,
  { made, ours }: { readonly made: Made; readonly ours: string },
): Promise<MergeResult | Objection> {
  const merge = await mergeInto(git, mergeOrder(work, made, ours));
  if (merge.type !== 'merged' || made.parents.includes(ours)) return merge;
  return (await objectionToMerge(git, work, { from: ours, to: merge.commit })) ?? merge;
}

function mergeOrder(work: Work, { commit, tree, parents }: Made, ours: string): MergeOrder {
  return {
    repository: work.repository,
    ours,
    theirs: commit,
    names: { ours: runBranch(work.run).replace('refs/heads/', ''), theirs: `task ${work.task}` },
    ...(tree !== undefined && { made: { tree, parents } }),
    message: mergeSubject(work.task, work.text ?? {}),
    trailers: trailersOf(work),
    at: work.at,
  };
}
