import { PitonError } from '../../base/index.ts';
import type { IntegrateRequest, MemberRequest, Place, RepositoryOrigin } from '../contract.ts';
import type { Trailers } from '../git/index.ts';

/** The work in a worktree: what other places may lack is there. */
export interface Work extends MemberRequest {
  readonly repository: RepositoryOrigin;
  readonly known: Place & { readonly branch: string; readonly base: string };
}

export function workIn<Request extends MemberRequest>(request: Request): Request & Work {
  const { repository, known, task } = request;
  const { branch, base } = known;
  if (repository === undefined || branch === undefined || base === undefined) {
    throw new PitonError('WORKTREE_REFUSED', `The place of ${task} is recorded without its branch.`, {
      task,
      remedy: 'Let the task begin again with `piton retry --fresh`.',
    });
  }
  return { ...request, repository, known: { ...known, branch, base } };
}

export type IntegrateWork = IntegrateRequest & Work;

export function trailersOf({ run, task, attempt, seq }: Work): Trailers {
  return { run, task, attempt, seq };
}
