/** What is done to places after somebody has interfered with them. */
import type { KnownRequest, PlaceRequest, Recorded, RepositoryOrigin } from '../../src/workspaces/index.ts';
import type { WorktreeWorkspaces } from '../../src/workspaces/worktree/worktrees.ts';
import { Git } from '../../src/workspaces/git/index.ts';
import { makeUpkeep } from '../../src/workspaces/upkeep/upkeep.ts';
import { plainEnvironment } from './git-orders.ts';
import { openLocal, type LocalWorld } from './local-places.ts';

export type UpkeepStep =
  | { readonly type: 'prepare'; readonly request: PlaceRequest }
  | { readonly type: 'save'; readonly request: KnownRequest }
  | { readonly type: 'drop'; readonly archives: string; readonly archive: string }
  | { readonly type: 'strays'; readonly repository: RepositoryOrigin; readonly recorded: Recorded };

export async function takeStep(world: LocalWorld, step: UpkeepStep): Promise<void> {
  const places = openLocal(world).places as WorktreeWorkspaces;
  if (step.type === 'drop') {
    const git = new Git({ environment: plainEnvironment(), durability: 'process' });
    return makeUpkeep({ git, archives: step.archives }).dropArchive(undefined, step.archive);
  }
  if (step.type === 'save') {
    const work = { attempt: 'attempt-1', seq: 1, at: 1_700_000_000_000, label: 'after a turn' };
    return void (await places.save({ ...step.request, ...work }));
  }
  if (step.type === 'prepare') return void (await places.prepare(step.request));
  for (const stray of await places.strays(step.repository, step.recorded))
    await places.cleanStray(step.repository, stray);
}
