import { PitonError } from '../../base/index.ts';
import { isAncestor } from './commits.ts';
import type { Git } from './git.ts';
import { runBranch, runTipRef } from './names.ts';
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
  /** Where the branch begins, if it was never there. */
  readonly base?: string;
  /** A person takes the branch as it is. */
  readonly isAdopted?: boolean;
}

/**
 * Where the branch of a run is. Somebody may have deleted it: then it is made again where it was, for to begin at the base once
 * more would be to lose what tasks have made. Throws WORKSPACE_DRIFTED if it was moved away from that.
 */
export async function headOfRun(git: Git, repository: RepositoryPlace, head: RunHead): Promise<string> {
  const { run, task, refs, base, isAdopted = false } = head;
  const [actual, last] = [refs.get(runBranch(run)), refs.get(runTipRef(run))];
  if (actual === undefined) return beginBranch(git, repository, { run, to: last ?? base });
  if (last === undefined || (await isAncestor(git, repository, { ancestor: last, of: actual })))
    return actual;
  if (!isAdopted) throw movedAway(run, { actual, last });
  // From now on nothing else would lead to it.
  await keepCommit(git, repository, { run, task, commit: last });
  return actual;
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

function movedAway(run: string, { actual, last }: { actual: string; last: string }): PitonError {
  const branch = runBranch(run).replace('refs/heads/', '');
  return new PitonError(
    'WORKSPACE_DRIFTED',
    `The branch ${branch} was moved to ${actual}, and does not hold what tasks have made, which is at ${last}.`,
    {
      branch,
      actual,
      last,
      remedy: `Put it back with \`git branch --force ${branch} ${last}\`, then \`piton retry\`; or \`piton workspace adopt\` goes on from where it is.`,
    },
  );
}
