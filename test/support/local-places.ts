/** Places on this machine, with all they need, in a world of one test. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../src/base/index.ts';
import type { PlaceMode, PlaceRequest, RepositoryOrigin } from '../../src/workspaces/index.ts';
import { DirectoryWorkspaces } from '../../src/workspaces/directory/directories.ts';
import { LocalFilling } from '../../src/workspaces/filling/local-filling.ts';
import { Git } from '../../src/workspaces/git/index.ts';
import { WorktreeWorkspaces } from '../../src/workspaces/worktree/worktrees.ts';
import { plainEnvironment } from './git-orders.ts';

/** All of it is text, so that another process can open the same. */
export interface LocalWorld {
  readonly kind: 'worktree' | 'directory';
  /** Where Piton keeps its own. */
  readonly state: string;
  /** The folder of the run. */
  readonly folder: string;
}

export interface LocalPlaces {
  readonly places: WorktreeWorkspaces | DirectoryWorkspaces;
  readonly filling: LocalFilling;
}

export function openLocal({ kind, state }: LocalWorld): LocalPlaces {
  const git = new Git({ environment: plainEnvironment(), durability: 'process', staleLockMs: 50 });
  const filling = new LocalFilling({ git, folder: state, portsFolder: join(state, 'ports') });
  if (kind === 'worktree') {
    const folder = join(state, 'worktrees');
    return { filling, places: new WorktreeWorkspaces({ git, folder, caches: ['node_modules'], filling }) };
  }
  const folders = { folder: join(state, 'directories'), archive: join(state, 'archive') };
  return { filling, places: new DirectoryWorkspaces({ ...folders, filling, durability: 'process' }) };
}

/** Of run `run-1` unless said otherwise; the token follows from run, task and generation. */
export function placeRequest(
  { folder, repository, mode }: { folder: string; repository?: RepositoryOrigin; mode: PlaceMode },
  task: string,
  more: Partial<PlaceRequest> = {},
): PlaceRequest {
  const { run = 'run-1', generation = 0 } = more;
  const token = sha256(`${run} ${task} ${generation}`).slice(0, 16);
  const request = { run, task, mode, generation, token, folder };
  const wants = { copy: [], caches: [], ports: 0, artifactsOf: [], isAdopted: false };
  return { ...request, ...wants, ...(repository !== undefined && { repository }), ...more };
}

/** What git is to ignore in the folder of the run, so that copies, caches and artifacts may be there. */
export const ignored = ['.env', 'dist', 'cache'];

/** A folder of a run without git. */
export function plainFolder(folder: string): void {
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, '.env'), 'SECRET=1');
  writeFileSync(join(folder, 'src', 'a.txt'), 'a\n');
}

export function excludeIgnored(commonDir: string): void {
  mkdirSync(join(commonDir, 'info'), { recursive: true });
  appendFileSync(join(commonDir, 'info', 'exclude'), `${ignored.join('\n')}\n`);
}

/** Names below a folder, `levels` deep. */
export function namesBelow(folder: string, levels: number): string[] {
  if (levels === 0 || !existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => [
    entry.name,
    ...(entry.isDirectory() ? namesBelow(join(folder, entry.name), levels - 1) : []),
  ]);
}
