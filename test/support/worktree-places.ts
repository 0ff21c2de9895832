/** Worktrees of tasks in the repository of a user, as the engine asks for them. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Place, PlaceRequest, Prepared, WorkRequest } from '../../src/workspaces/index.ts';
import type { WorktreeWorkspaces } from '../../src/workspaces/worktree/worktrees.ts';
import { openLocal, placeRequest } from './local-places.ts';
import { playground, shell, type Playground } from './git-playground.ts';

export interface WorktreeGround extends Playground {
  /** Where Piton keeps its own. */
  readonly state: string;
  readonly places: WorktreeWorkspaces;
  request(task: string, more?: Partial<PlaceRequest>): PlaceRequest;
  prepare(task: string, more?: Partial<PlaceRequest>): Promise<Prepared>;
}

/** When all of it happens. */
export const now = Date.UTC(2026, 0, 2, 3, 4, 5);

export function worktreeGround(): WorktreeGround {
  const ground = playground();
  const { root, folder, base, repository } = ground;
  const state = join(folder, 'state');
  const { places } = openLocal({ kind: 'worktree', state, folder: root });
  const origin = { root, commonDir: repository.commonDir, base, prefix: '' };
  const world = { folder: root, repository: origin, mode: { mode: 'worktree' } as const };
  const request = (task: string, more: Partial<PlaceRequest> = {}) => placeRequest(world, task, more);
  const worktrees = places as WorktreeWorkspaces;
  const prepare = (task: string, more: Partial<PlaceRequest> = {}) => worktrees.prepare(request(task, more));
  return { ...ground, state, places: worktrees, request, prepare };
}

/** The work of an attempt in a place that was prepared. */
export function workOf(request: PlaceRequest, known: Place): WorkRequest {
  return { ...request, known, attempt: 'a1', seq: 1, at: now };
}

export async function save(ground: WorktreeGround, task: string, known: Place): Promise<string> {
  const request = { ...workOf(ground.request(task), known), label: 'after the work' };
  return (await ground.places.save(request))!;
}

/** Behind our back. */
export function lose({ path }: Place): void {
  if (!existsSync(path)) throw new Error(`${path} is not there`);
  rmSync(path, { recursive: true });
}

export function statusOf({ path }: Place): string[] {
  const text = shell(path, 'status', '--porcelain', '--untracked-files=all');
  return text === '' ? [] : text.split('\n').map((line) => line.trim());
}
