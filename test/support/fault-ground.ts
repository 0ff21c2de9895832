/** A run in whatever repository a user may have: its tasks have places, work there, are brought in, and leave. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type {
  Cleaned,
  RepositoryOrigin,
  IntegrateRequest,
  Integration,
  Place,
  PlaceRequest,
} from '../../src/workspaces/index.ts';
import { LocalFilling } from '../../src/workspaces/filling/local-filling.ts';
import { Git, runBranch } from '../../src/workspaces/git/index.ts';
import { WorktreeWorkspaces } from '../../src/workspaces/worktree/worktrees.ts';
import { plainEnvironment } from './git-orders.ts';
import { shell, treeOf } from './git-playground.ts';
import { placeRequest } from './local-places.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { now, workOf } from './worktree-places.ts';

export interface FaultGround {
  readonly repository: RepositoryOrigin;
  readonly places: WorktreeWorkspaces;
  /** The folder of all worktrees. */
  readonly worktrees: string;
  request(task: string, more?: Partial<PlaceRequest>): PlaceRequest;
  place(task: string): Promise<Place>;
  /** What becomes of the work, after it was saved. */
  integrate(task: string, known: Place, more?: Partial<IntegrateRequest>): Promise<Integration>;
  clean(task: string, known: Place, result?: string): Promise<Cleaned>;
  /** A whole life: `work` is done in the folder of the place. */
  live(task: string, work: (folder: string) => void): Promise<{ integration: Integration; cleaned: Cleaned }>;
  /** The files on the branch of the run. */
  made(): Record<string, string>;
}

export async function faultGround(
  folder: string,
  environment: Record<string, string> = plainEnvironment(),
): Promise<FaultGround> {
  const state = realpathSync(temporaryFolder());
  const git = new Git({ environment, durability: 'process', staleLockMs: 50 });
  const filling = new LocalFilling({ git, folder: state, portsFolder: join(state, 'ports') });
  const worktrees = join(state, 'worktrees');
  const places = new WorktreeWorkspaces({ git, folder: worktrees, caches: ['node_modules'], filling });
  const repository = (await places.find(folder, undefined))!;
  const world = { folder, repository, mode: { mode: 'worktree' } as const };
  const request = (task: string, more: Partial<PlaceRequest> = {}) => placeRequest(world, task, more);
  const place = async (task: string) => (await places.prepare(request(task))).place;
  const integrate: FaultGround['integrate'] = async (task, known, more = {}) => {
    const work = { ...workOf(request(task), known), attempt: `attempt of ${task}` };
    const snapshot = await places.save({ ...work, label: 'after the work' });
    const saved = snapshot === undefined ? {} : { snapshot };
    return places.integrate({ ...work, ...saved, isChecked: false, others: [], ...more });
  };
  const clean: FaultGround['clean'] = (task, known, result) => {
    const work = { ...request(task), known, at: now, hasSucceeded: result !== undefined };
    const done = result === undefined ? {} : { result };
    return places.clean({ ...work, ...done }, 'remove-when-clean-else-archive');
  };
  return {
    repository,
    places,
    worktrees,
    request,
    place,
    integrate,
    clean,
    async live(task, work) {
      const known = await place(task);
      work(join(known.path, repository.prefix));
      const integration = await integrate(task, known);
      const result = integration.type === 'integrated' ? integration.result : undefined;
      return { integration, cleaned: await clean(task, known, result) };
    },
    made: () => treeOf(repository.root, runBranch('run-1')),
  };
}

/** Worktrees of the repository besides the one of the user, by their paths. */
export function worktreesOf({ repository, worktrees }: FaultGround): string[] {
  const lines = shell(repository.commonDir, 'worktree', 'list', '--porcelain').split('\n');
  return lines.filter((line) => line.startsWith(`worktree ${worktrees}`));
}
