/** A run in a repository with a submodule, in which a task makes a commit. */
import { join } from 'node:path';
import { archiveWorktree, readLink } from '../../src/workspaces/git/index.ts';
import type { RunMerge } from '../../src/workspaces/index.ts';
import { at } from './git-orders.ts';
import { commit, playground, shell } from './git-playground.ts';
import { run, scene, type Scene, type Worker } from './integrate-scene.ts';

export const submodule = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet'];

export interface ModuleGround extends Scene {
  /** Where everybody gets the submodule from. */
  readonly library: string;
  readonly build: Worker;
  /** The submodule in the worktree of the task. */
  readonly inner: string;
  /** The user's repository of it. */
  readonly modules: string;
}

/** A task whose worktree has the submodule. */
export async function moduleGround(library = playground('library').root): Promise<ModuleGround> {
  const found = await scene();
  shell(found.root, ...submodule, 'add', library, 'a lib');
  const base = commit(found.root, {}, 'with a submodule');
  shell(found.root, 'update-ref', `refs/heads/piton/${run}`, base);
  const origin = { ...found.origin, base };
  const build = await found.worker('build', { repository: origin });
  shell(build.path, ...submodule, 'update', '--init');
  const modules = join(found.root, '.git/modules/a lib');
  return { ...found, origin, library, build, inner: join(build.path, 'a lib'), modules };
}

export function commitInside({ inner }: ModuleGround): string {
  return commit(inner, { 'own.txt': 'of the agent' }, 'in the submodule');
}

export function deinit({ root }: ModuleGround): void {
  shell(root, 'submodule', '--quiet', 'deinit', '--force', 'a lib');
}

export function keptIn({ modules }: ModuleGround): string {
  return shell(modules, 'for-each-ref', '--format=%(refname)', 'refs/piton');
}

/** Its result was adopted while the user had no repository for the commit, and its worktree was cleaned. */
export async function archivedModule(library?: string): Promise<ModuleGround & { readonly made: string }> {
  const found = await moduleGround(library);
  const made = commitInside(found);
  deinit(found);
  await found.build.integrate({ isAdopted: true });
  const link = await readLink(found.build.path);
  if (link.type !== 'linked') throw new Error(link.type);
  const worktree = { path: found.build.path, gitDir: link.gitDir, ...found.repository };
  const trailers = { run, task: 'build', attempt: 'a1', seq: 7 };
  await archiveWorktree(found.git, { worktree, trailers, at, caches: [] });
  shell(found.root, 'worktree', 'remove', '--force', '--force', found.build.path);
  return { ...found, made };
}

export function mergeOf({ origin }: ModuleGround, isDryRun = false): RunMerge {
  const account = { run, workflow: 'w', tasks: [], usage: '' };
  return { repository: origin, account, strategy: 'auto', isDryRun };
}

/** Gives also what it throws. */
export function integrate({ build }: ModuleGround): Promise<unknown> {
  return build.integrate().catch((error: unknown) => error);
}

/** Of the submodule in the worktree of the task. */
export async function gitDirOf({ inner }: ModuleGround): Promise<string> {
  const link = await readLink(inner);
  if (link.type !== 'linked') throw new Error(link.type);
  return link.gitDir;
}
