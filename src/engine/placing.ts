import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PitonError } from '../base/index.ts';
import { placementOf, type RunState, type TaskState } from '../kernel/index.ts';
import type { Place, PlaceRequest, Workspaces } from '../workspaces/index.ts';

/** Told when a place was made, or made again. */
export interface PlaceNews {
  readonly place: Place;
  readonly isRecreated: boolean;
}

/** The folder in which a task works: that of the run, or the same one in a worktree of its own. */
export async function placeTask(
  workspaces: Workspaces,
  { state, task }: { readonly state: RunState; readonly task: TaskState },
  tell: (news: PlaceNews) => void,
): Promise<string> {
  const { origin } = state;
  if (placementOf(state, task).mode === 'shared') return origin?.directory ?? '.';
  const request = placeRequest(state, task);
  assertNotLost(task);
  const prepared = await workspaces.prepare(request);
  const { place, isRecreated } = prepared;
  if (request.known === undefined || isRecreated || request.known.path !== place.path) tell(prepared);
  return join(place.path, origin!.repository!.prefix);
}

/** Made again it would be empty, and what is done would be checked, or brought in, without having been there. */
function assertNotLost({ address, finished, workspace }: TaskState): void {
  if (finished === undefined || workspace === undefined || existsSync(workspace.path)) return;
  const { path } = workspace;
  throw new PitonError(
    'WORKSPACE_DRIFTED',
    `The worktree of ${address} is gone, with its finished work: ${path}.`,
    {
      path,
      remedy: 'Bring it back and `piton retry`; or do the work again with `piton retry --fresh`.',
    },
  );
}

export function placeRequest({ run, origin }: RunState, task: TaskState): PlaceRequest {
  const repository = origin?.repository;
  if (repository === undefined)
    throw new PitonError('GIT_MISSING', `${task.address} needs a worktree, and there is no git repository.`);
  const { workspace, spec, address } = task;
  return {
    run,
    task: address,
    generation: task.generation ?? 0,
    token: task.key!,
    repository,
    copy: spec.setup?.copy ?? [],
    folder: origin!.directory,
    ...(workspace !== undefined && { known: placeOf(workspace) }),
  };
}

export function placeOf({ path, branch, base, token }: Place): Place {
  return { path, branch, base, token };
}
