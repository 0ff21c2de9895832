import { PitonError } from '../../base/index.ts';
import type { IntegrateRequest, Integration, PlaceRequest, Prepared } from '../contract.ts';
import {
  findObjects,
  headOfRun,
  isAncestor,
  isAttemptIn,
  layOut,
  leaveConflict,
  listRefs,
  moveRunBranch,
  readCommit,
  readSaved,
  runBranch,
  type Git,
  type MergeResult,
} from '../git/index.ts';
import { findWork } from './find-work.ts';
import { objectionTo, type Objection } from './integrate-objections.ts';
import { trailersOf, workIn, type IntegrateWork } from './integrate-work.ts';
import { marksLeftIn, mergeWithOthers, mergeWork } from './merge-others.ts';
import { takeResult, type Made } from './take-result.ts';

export interface IntegratePorts {
  readonly git: Git;
  /** Makes a place again that is gone. */
  prepare(request: PlaceRequest): Promise<Prepared>;
}

/** So often the branch of the run may move under our hands. */
const mostTries = 10;

/**
 * Makes a commit of what the task has left, and brings it to the branch of the run; or lays out in its worktree what has to be
 * checked or made to fit before. Killed anywhere and done again, it finds what was done.
 */
export async function integrateResult(
  ports: IntegratePorts,
  request: IntegrateRequest,
): Promise<Integration> {
  const { git } = ports;
  const work = workIn(request);
  const landed = await landVerified(git, work);
  if (landed !== undefined) return landed;
  const found = await findWork((place) => ports.prepare(place), work).catch(async (thrown: unknown) => {
    const brought = await findBrought(git, work);
    if (brought === undefined) throw thrown;
    return brought;
  });
  if ('type' in found) return found;
  const made = await takeResult(git, work, found);
  if (made.type !== 'made') return made;
  const refs = await listRefs(git, work.repository);
  const ours = await headOf(git, work, refs);
  const objection = await objectionTo(git, work, { made, seen: { refs, ours } });
  return objection ?? bringIn(git, work, { made, ours });
}

function headOf(git: Git, work: IntegrateWork, refs: ReadonlyMap<string, string>): Promise<string> {
  const { run, task, isAdopted, repository, tip } = work;
  return headOfRun(git, repository, { run, task, isAdopted, refs, tip });
}

/** What was proposed and has passed its check; undefined: the branch of the run is not any more where it was then. */
async function landVerified(git: Git, work: IntegrateWork): Promise<Integration | undefined> {
  const { verified, repository, known, run } = work;
  if (verified === undefined) return undefined;
  const { commit, onto } = verified;
  const [tip, candidate] = await findObjects(git, repository, [known.branch, commit]);
  // With its worktree deleted, a garbage collection may have taken it.
  if (candidate === undefined) return undefined;
  const result = tip?.name ?? commit;
  const moved = await moveRunBranch(git, repository, { run, to: commit, from: onto });
  if (moved.type !== 'conflict') return { type: 'integrated', result, commit };
  const ours = moved.actual;
  if (ours === undefined) return undefined;
  const isIn = await isAncestor(git, repository, { ancestor: commit, of: ours });
  return isIn ? { type: 'integrated', result, commit: ours } : undefined;
}

/** Its place is gone. That may be because its work was brought in, which the journal has lost. */
async function findBrought(git: Git, work: IntegrateWork): Promise<Integration | undefined> {
  const { repository, run, attempt, known } = work;
  const [branch, own] = await findObjects(git, repository, [runBranch(run), known.branch]);
  if (branch === undefined) return undefined;
  const { name: commit } = branch;
  const isIn = await isAttemptIn(git, repository, { attempt, commits: [commit, `^${known.base}`] });
  return isIn ? { type: 'integrated', result: own?.name ?? commit, commit } : undefined;
}

interface Sides {
  readonly made: Made;
  /** The branch of the run. */
  readonly ours: string;
}

async function bringIn(git: Git, work: IntegrateWork, sides: Sides): Promise<Integration> {
  const { run, repository } = work;
  const { made } = sides;
  let { ours } = sides;
  for (let tries = 0; tries < mostTries; tries++) {
    const merge = made.isUnchanged ? already : await mergeMade(git, work, { made, ours });
    if (isForPeople(merge)) return merge;
    if (merge.type === 'already') return { type: 'integrated', result: made.commit, commit: ours };
    if (merge.type === 'conflict') return leave(git, work, { made, ours, merge });
    if (work.isChecked && merge.tree !== (await checkedTree(git, work, made))) {
      return propose(git, work, { made, ours, merge });
    }
    const moved = await moveRunBranch(git, repository, { run, to: merge.commit, from: ours });
    if (moved.type !== 'conflict') return { type: 'integrated', result: made.commit, commit: merge.commit };
    ours = await headOf(git, work, await listRefs(git, repository));
  }
  const ref = runBranch(run);
  throw new PitonError('GIT_FAILED', `${ref} moves all the time: somebody else writes to it.`, {
    ref,
    remedy: 'End what moves it, then `piton retry`.',
  });
}

const already = { type: 'already' } as const;

/** A conflict that was laid out before, or what a person has to be asked about. */
type ForPeople = Unsolved | Objection;
type Merged = Extract<MergeResult, { type: 'merged' }>;

async function mergeMade(git: Git, work: IntegrateWork, sides: Sides): Promise<MergeResult | ForPeople> {
  const files = await marksLeftIn(git, work, sides);
  return files.length > 0 ? unsolved(files) : mergeWork(git, work, sides);
}

function isForPeople(merge: MergeResult | ForPeople): merge is ForPeople {
  return 'report' in merge || !['already', 'merged', 'conflict'].includes(merge.type);
}

/** The files that the check has seen: saved when it ended. A person may have changed them since, to make them fit. */
async function checkedTree(git: Git, { repository, snapshot }: IntegrateWork, made: Made): Promise<string> {
  const seen = snapshot === undefined ? undefined : await readSaved(git, repository, snapshot);
  return seen?.tree ?? treeOf(git, made);
}

async function treeOf(git: Git, { worktree, commit, tree }: Made): Promise<string> {
  return tree ?? (await readCommit(git, worktree, commit)).tree;
}

async function propose(
  git: Git,
  work: IntegrateWork,
  { made, ours, merge }: Sides & { readonly merge: Merged },
): Promise<Integration> {
  const { commit, tree, members } = await mergeWithOthers(git, work, merge);
  const layout = await layoutOf(git, work, made);
  await layOut(git, { ...layout, commit, tree, what: { type: 'candidate', members } });
  return { type: 'proposed', result: made.commit, commit, onto: ours, members };
}

async function layoutOf(git: Git, work: IntegrateWork, made: Made) {
  const resultTree = await treeOf(git, made);
  return {
    worktree: made.worktree,
    token: work.known.token,
    trailers: trailersOf(work),
    at: work.at,
    result: made.commit,
    resultTree,
    expected: made.files ?? resultTree,
    isWork: made.isWork,
  };
}

/** Whoever is to make them fit finds both sides in the worktree. */
async function leave(
  git: Git,
  work: IntegrateWork,
  { made, ours, merge }: Sides & { readonly merge: Extract<MergeResult, { type: 'conflict' }> },
): Promise<Integration> {
  const files = merge.files.map(({ path }) => path);
  const messages = merge.messages.join('\n');
  const { tree } = merge;
  if (tree === undefined) return { type: 'conflict', files, report: messages };
  const report = `${messages}\n${bothSides}`;
  const message = `Conflict of ${work.task}, to be resolved`;
  const layout = await layoutOf(git, work, made);
  const { branch } = work.known;
  await leaveConflict(git, { ...layout, tree, branch, ours, paths: files, report, message });
  return { type: 'conflict', files, report };
}

const bothSides =
  'What others have made in the meantime is in your files now. Where both have changed the same, you find the two versions between marks (<<<<<<<, =======, >>>>>>>): bring them together as both sides meant it, and leave no mark. A file without marks that one side has deleted, or that is not text, is there in one version: take it, change it or delete it, and commit that (`git commit --all --allow-empty`).';

type Unsolved = Extract<Integration, { type: 'conflict' }>;

function unsolved(files: readonly string[]): Unsolved {
  const report = `The conflict is still in: ${files.join(', ')}. Bring the two versions together, and leave no mark.`;
  return { type: 'conflict', files, report };
}
