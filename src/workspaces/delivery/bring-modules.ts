import { shellWord } from '../../base/index.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  archivesOfRun,
  bringCommit,
  findUserModule,
  findWorktreeModule,
  holdsCommit,
  keepInModule,
  listArchived,
  ownObjects,
  readManifest,
  recordsInside,
  restorePlainFolder,
  type ChangedFile,
  type Git,
  type RepositoryPlace,
} from '../git/index.ts';
import type { Joining } from './prepare-merge.ts';
import { refused } from './refusals.ts';

interface Wanted {
  readonly joining: Joining;
  readonly path: string;
  readonly commit: string;
  /** The user's repository of the submodule, if it is there. */
  readonly target: RepositoryPlace | undefined;
}

/** Commits of submodules that only a worktree or an archive of Piton has. Throws `MERGE_REFUSED` if the user has no repository for them. */
export async function bringModules(git: Git, joining: Joining, files: readonly ChangedFile[]): Promise<void> {
  const { path: root, commonDir } = joining.checkout.place;
  for (const { path, object: commit, mode } of files) {
    if (mode !== '160000') continue;
    const target = await findUserModule({ root, commonDir }, path);
    await bring(git, { joining, path, commit, target });
  }
}

async function bring(git: Git, wanted: Wanted): Promise<void> {
  const { joining, target, commit } = wanted;
  if (target !== undefined && (await holdsCommit(git, target, { commit }))) {
    // Whoever has brought it there may have been killed before it was kept.
    if (!joining.order.isDryRun) await keepInModule(git, target, commit);
  } else if (!(await takeFromWorktrees(git, wanted))) await takeFromArchives(git, wanted);
}

async function takeFromWorktrees(git: Git, wanted: Wanted): Promise<boolean> {
  const { commonDir } = wanted.joining.order.repository;
  for (const [path, gitDir] of await recordsInside({ commonDir }, '')) {
    const module = await findWorktreeModule({ path, gitDir, commonDir }, wanted.path);
    if (module !== undefined && (await take(git, wanted, { gitDir: module, where: path }))) return true;
  }
  return false;
}

async function takeFromArchives(git: Git, wanted: Wanted): Promise<void> {
  const { repository, account } = wanted.joining.order;
  for (const { ref, commit } of await listArchived(git, repository, archivesOfRun(account.run))) {
    const { nested } = await readManifest(git, repository, commit);
    const found = nested.find(({ path }) => path === wanted.path);
    if (found === undefined) continue;
    const { files, module } = found;
    const isTaken = await withFolder(git, { ...repository, tree: module ?? files }, (folder) =>
      take(git, wanted, { gitDir: module === null ? join(folder, '.git') : folder, where: ref }),
    );
    if (isTaken) return;
  }
}

/** Lends the archived folder, laid out where nobody else works. */
async function withFolder<T>(
  git: Git,
  { commonDir, tree }: RepositoryPlace & { readonly tree: string },
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const path = await mkdtemp(join(tmpdir(), 'piton-module-'));
  try {
    await restorePlainFolder(git, { worktree: { path, gitDir: path, commonDir }, path: 'module', tree });
    return await use(join(path, 'module'));
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

/** False: it is not there. */
async function take(
  git: Git,
  { joining, path, commit, target }: Wanted,
  { gitDir, where }: { readonly gitDir: string; readonly where: string },
): Promise<boolean> {
  const { repository, isDryRun } = joining.order;
  const objects = await ownObjects(gitDir);
  if (objects === undefined || !(await holdsCommit(git, target ?? repository, { commit, objects })))
    return false;
  if (target === undefined) {
    throw refused(`the run has the submodule ${path} at ${commit}, which only ${where} holds`, {
      path,
      commit,
      remedy: `Run \`git submodule update --init -- ${shellWord(path)}\` in ${repository.root}, then merge again: it is brought there.`,
    });
  }
  if (isDryRun) return true;
  await bringCommit(git, { target, objects, commit });
  await keepInModule(git, target, commit);
  return true;
}
