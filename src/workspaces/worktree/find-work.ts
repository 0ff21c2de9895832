import { PitonError } from '../../base/index.ts';
import type { IntegrateRequest } from '../contract.ts';
import {
  findWorktree,
  isBeingRemoved,
  listWorktrees,
  readCommit,
  readLink,
  readRef,
  type Git,
  type WorktreePlace,
} from '../git/index.ts';

/**
 * The worktree whose work is to be brought in; undefined: it was removed by an earlier try, when its work was on its branch.
 * Throws WORKSPACE_DRIFTED if it is gone or replaced otherwise: what was made there is not what is found.
 */
export async function findWork(git: Git, request: IntegrateRequest): Promise<WorktreePlace | undefined> {
  const { repository, known } = request;
  const entry = await findWorktree(git, repository, known.path);
  const link = await readLink(known.path);
  if (link.type === 'linked' && link.gitDir === entry?.gitDir) {
    return { path: known.path, gitDir: link.gitDir, commonDir: repository.commonDir };
  }
  if (link.type !== 'absent') throw drifted(request, 'is not the worktree any more in which it worked');
  if (await wasTaken(git, request, entry !== undefined)) return undefined;
  throw drifted(request, 'is gone, and with it what was not committed');
}

/** Only what made no change leaves nothing on the branch by which its removal could be known as ours. */
async function wasTaken(git: Git, request: IntegrateRequest, isOnRecord: boolean): Promise<boolean> {
  const { repository, known, attempt } = request;
  const tip = await readRef(git, repository, known.branch);
  if (tip === undefined) return false;
  if ((await readCommit(git, repository, tip)).attempt === attempt) return true;
  if (tip !== known.base) return false;
  if (isOnRecord) return isBeingRemoved(known);
  const others = await listWorktrees(git, repository);
  return others.every(({ branch }) => branch !== known.branch);
}

function drifted({ known: { path, branch }, task }: IntegrateRequest, why: string): PitonError {
  return new PitonError('WORKSPACE_DRIFTED', `The place of ${task} ${why}: ${path}.`, {
    path,
    branch,
    remedy: 'Put it back and `piton retry`, or let the task begin again with `piton retry --fresh`.',
  });
}
