import { PitonError } from '../../base/index.ts';
import { isAncestor } from './ancestry.ts';
import type { Git } from './git.ts';
import { runBranch, runTipRef } from './names.ts';
import { findObjects } from './objects.ts';
import type { RepositoryPlace } from './places.ts';
import { keepCommit } from './reflogs.ts';
import { moveRef, type RefMove, type RefMoveResult } from './refs.ts';

/** By compare-and-swap. What it is moved to is kept besides: agents delete branches, and collect garbage. */
export async function moveRunBranch(
  git: Git,
  repository: RepositoryPlace,
  { run, to, from }: Pick<RefMove, 'from'> & { readonly run: string; readonly to: string },
): Promise<RefMoveResult> {
  return moveRef(git, repository, { ref: runBranch(run), to, from, also: runTipRef(run) });
}

export interface RunHead {
  readonly run: string;
  /** For whose sake it is looked at. */
  readonly task: string;
  /** All refs, read just now. */
  readonly refs: ReadonlyMap<string, string>;
  /** Where the journal has it; undefined: nothing was brought in yet. */
  readonly tip: string | undefined;
  /** Where the branch begins, if it was never there. */
  readonly base?: string;
  /** A person takes the branch as it is. */
  readonly isAdopted?: boolean;
}

/**
 * Where the branch of a run is. Somebody may have deleted it: then it is made again where it was, for to begin at the base once
 * more would be to lose what tasks have made. Throws WORKSPACE_DRIFTED if it was moved away from that, or if the repository does
 * not have it any more: it may be another clone, or an older copy.
 */
export async function headOfRun(git: Git, repository: RepositoryPlace, head: RunHead): Promise<string> {
  const { run, refs, tip, base } = head;
  const [branch, last] = [refs.get(runBranch(run)), refs.get(runTipRef(run))];
  const known = [...new Set([last, tip])].filter((commit) => commit !== undefined);
  const actual = branch ?? last ?? (await ifThere(git, repository, tip));
  if (actual === undefined) {
    if (tip !== undefined && head.isAdopted !== true) throw lost(run, tip);
    return beginBranch(git, repository, { run, to: base });
  }
  const unheld = await findUnheld(git, repository, { head, actual, known });
  if (unheld !== undefined) return headNow(git, repository, { head, actual, unheld });
  return branch ?? beginBranch(git, repository, { run, to: actual });
}

interface Unheld {
  readonly head: RunHead;
  readonly actual: string;
  readonly unheld: string;
}

/** Refs are read one after the other: meanwhile another task may have moved the branch, and then what is kept beside it. */
async function headNow(
  git: Git,
  repository: RepositoryPlace,
  { head, actual, unheld }: Unheld,
): Promise<string> {
  const ref = runBranch(head.run);
  const now = await ifThere(git, repository, ref);
  if (now === undefined || now === head.refs.get(ref)) throw movedAway(head.run, { actual, last: unheld });
  return headOfRun(git, repository, { ...head, refs: new Map([...head.refs, [ref, now]]) });
}

interface Held {
  readonly head: RunHead;
  readonly actual: string;
  readonly known: readonly string[];
}

/** What the branch does not hold, though it is known to have been brought in. What a person has adopted is kept. */
async function findUnheld(
  git: Git,
  repository: RepositoryPlace,
  { head, actual, known }: Held,
): Promise<string | undefined> {
  const { run, task, refs, isAdopted = false } = head;
  for (const commit of known) {
    if (await isAncestor(git, repository, { ancestor: commit, of: actual, mayBeMissing: true })) continue;
    if (!isAdopted) return commit;
    // From now on nothing else would lead to it.
    if ((await ifThere(git, repository, commit)) !== undefined)
      await keepCommit(git, repository, { run, task, commit });
    // Else it would be held against every task to come, though one adopted it.
    if (commit === refs.get(runTipRef(run)))
      await moveRef(git, repository, { ref: runTipRef(run), to: actual, from: commit });
  }
  return undefined;
}

async function ifThere(
  git: Git,
  repository: RepositoryPlace,
  commit: string | undefined,
): Promise<string | undefined> {
  if (commit === undefined) return undefined;
  const [found] = await findObjects(git, repository, [commit]);
  return found?.name;
}

async function beginBranch(
  git: Git,
  repository: RepositoryPlace,
  { run, to }: { readonly run: string; readonly to: string | undefined },
): Promise<string> {
  if (to === undefined) throw gone(run);
  const made = await moveRunBranch(git, repository, { run, to, from: undefined });
  return made.type === 'conflict' ? (made.actual ?? to) : to;
}

function gone(run: string): PitonError {
  const ref = runBranch(run);
  return new PitonError('GIT_FAILED', `The branch of the run is gone: ${ref}.`, {
    ref,
    remedy: 'Make it again where it was, then `piton retry`.',
  });
}

function lost(run: string, commit: string): PitonError {
  const branch = runBranch(run).replace('refs/heads/', '');
  return new PitonError(
    'WORKSPACE_DRIFTED',
    `The branch ${branch} is gone, and the repository does not have what tasks have made, which was at ${commit}.`,
    {
      branch,
      last: commit,
      remedy: `If this is another clone, or an older copy: bring that commit back (\`git fetch <repository> ${branch}:${branch}\`), then \`piton retry\`. Otherwise start a new run.`,
    },
  );
}

function movedAway(run: string, { actual, last }: { actual: string; last: string }): PitonError {
  const branch = runBranch(run).replace('refs/heads/', '');
  return new PitonError(
    'WORKSPACE_DRIFTED',
    `The branch ${branch} was moved to ${actual}, and does not hold what tasks have made, which is at ${last}.`,
    {
      branch,
      actual,
      last,
      remedy: `Put it back with \`git branch --force ${branch} ${last}\`, then \`piton retry\`. To go on from where it is: \`piton workspace adopt\`; or, for a task that has no place yet, let the branch hold both (\`git merge --strategy=ours ${last}\` in a checkout of it), then \`piton retry\`.`,
    },
  );
}
