import type { IntegrateRequest, Integration } from '../contract.ts';
import {
  commitResult,
  findLayout,
  isUntouched,
  readHead,
  type Git,
  type LayoutNote,
  type ResultOrder,
  type TaskResult,
  type WorktreePlace,
} from '../git/index.ts';
import { messageOf } from '../work-text.ts';
import type { FoundWork } from './find-work.ts';
import { trailersOf, type Work } from './integrate-work.ts';

/** What a task has made, as a commit on its branch. */
export interface Made extends FoundWork {
  readonly type: 'made';
  readonly commit: string;
  readonly isUnchanged: boolean;
  /** Of the commit, as far as they are known. */
  readonly tree: string | undefined;
  readonly parents: readonly string[];
  /** The tree of the files in the worktree. */
  readonly files: string | undefined;
  /** false: a check has run on a merge there, and may have left something beside it. */
  readonly isWork: boolean;
}

/** Why it is no result: it does not fit, or must not be committed. */
type Refused = Extract<Integration, { type: 'conflict' | 'secrets' }>;
type Conflict = Extract<Integration, { type: 'conflict' }>;

/**
 * What was laid out by Piton is not taken for work: a merge that nobody has touched, or one with the work of others, stands for
 * what was on the branch before. What somebody has made of a conflict, or of a merge of this task alone, is the new result.
 */
export async function takeResult(git: Git, work: Taking, found: FoundWork): Promise<Made | Refused> {
  const { worktree } = found;
  const note = await findLayout(git, worktree, work.known.token);
  const isLaidOut = note !== undefined && note.what.type !== 'result';
  if (isLaidOut && (await readHead(git, worktree)) === note.commit) {
    const taken = await takeLaidOut(git, work, { worktree, note });
    if (taken !== undefined) return taken.type === 'conflict' ? taken : { ...found, ...taken };
  }
  const { known, task, at, text = {} } = work;
  const { base, branch: ref } = known;
  const message = messageOf(task, text);
  const taking = { isUnfilteredTaken: work.isAdopted, ...scanOf(work) };
  const order = { worktree, base, ref, message, trailers: trailersOf(work), at, ...taking };
  const result = await commitResult(git, order);
  if (result.type === 'secrets') return result;
  return result.type === 'unfinished' ? unfinished(result) : { ...found, ...madeOf(result) };
}

type Taking = Work & Pick<IntegrateRequest, 'verified'>;
/** Whoever has adopted it was asked. */
function scanOf({ isAdopted, secrets = {}, tip }: Taking): Pick<ResultOrder, 'scan'> {
  if (isAdopted || Object.keys(secrets).length === 0) return {};
  return { scan: { secrets, known: tip === undefined ? [] : [tip] } };
}

type Taken = Omit<Made, keyof FoundWork>;

function madeOf(result: Exclude<TaskResult, { type: 'unfinished' | 'secrets' }>): Taken {
  const { commit } = result;
  if (result.type === 'unchanged') return { ...plain, commit, isUnchanged: true };
  const { tree, parents } = result;
  return { ...plain, commit, tree, parents, files: tree };
}

const plain = {
  type: 'made',
  isUnchanged: false,
  tree: undefined,
  parents: [],
  files: undefined,
  isWork: true,
} as const;

/** Undefined: somebody has worked on it. */
async function takeLaidOut(
  git: Git,
  work: Taking,
  { worktree, note }: { readonly worktree: WorktreePlace; readonly note: LayoutNote },
): Promise<Taken | Conflict | undefined> {
  const { what, result: commit, resultTree: tree } = note;
  const isOnlyChecked = what.type === 'candidate' && (what.members.length > 0 || hasPassed(work, note));
  if (!isOnlyChecked && !(await isUntouched(git, worktree, note))) return undefined;
  if (what.type === 'candidate') return { ...plain, commit, tree, files: note.tree, isWork: !isOnlyChecked };
  const isHanded = note.trailers.attempt !== work.attempt || work.isAdopted;
  if (isHanded || what.type === 'result') return undefined;
  return { type: 'conflict', files: what.paths, report: what.report };
}

/** Then nobody was asked to mend it: what differs was left by the check. */
function hasPassed({ verified }: Taking, note: LayoutNote): boolean {
  return verified?.commit === note.commit;
}

function unfinished({ operation, unmerged }: Extract<TaskResult, { type: 'unfinished' }>): Conflict {
  const report = `A ${operation} was begun in the worktree and not brought to its end. Finish or abort it.`;
  return { type: 'conflict', files: unmerged, report };
}
