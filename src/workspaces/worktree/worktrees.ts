import { dirname, join } from 'node:path';
import { existsSync, mkdirSync } from 'node:fs';
import { PitonError } from '../../base/index.ts';
import type {
  Cleaned,
  CleanRequest,
  CleanupPolicy,
  FoundRepository,
  IntegrateRequest,
  Integration,
  Place,
  PlaceRequest,
  Prepared,
  Workspaces,
} from '../contract.ts';
import {
  addWorktree,
  encodeName,
  findWorktree,
  inspectRepository,
  moveRef,
  readMarker,
  readRef,
  removeWorktree,
  runBranch,
  taskBranch,
  type Git,
  type RepositoryPlace,
  type WorktreePlace,
} from '../git/index.ts';
import { cleanWorktree } from './clean-worktree.ts';
import { copyFiles } from './copies.ts';
import { findWork } from './find-work.ts';
import { integrateResult } from './integrate-result.ts';

export interface WorktreeOptions {
  readonly git: Git;
  /** Where worktrees are made, a folder for each run. */
  readonly folder: string;
  /** Folders that can be made again and need not be kept, by name. */
  readonly caches: readonly string[];
}

/** Places that are git worktrees of the repository the run was started in. */
export class WorktreeWorkspaces implements Workspaces {
  readonly #git: Git;
  readonly #folder: string;
  readonly #caches: readonly string[];

  constructor({ git, folder, caches }: WorktreeOptions) {
    this.#git = git;
    this.#folder = folder;
    this.#caches = caches;
  }

  async find(folder: string, base: string | undefined): Promise<FoundRepository | undefined> {
    const found = await inspectRepository(this.#git, folder);
    if (found.type === 'none' || found.isBare || found.head === undefined) return undefined;
    const { root, commonDir, subfolder: prefix, uncommitted } = found;
    const commit = base === undefined ? found.head : await this.#commitOf(root, base);
    return { root, commonDir, base: commit, prefix, uncommitted };
  }

  async #commitOf(root: string, base: string): Promise<string> {
    const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${base}^{commit}`];
    const commit = await this.#git.ask(args, { cwd: root });
    if (commit !== undefined) return commit;
    throw new PitonError('BASE_UNKNOWN', `There is no branch or commit ${base} to begin from.`, {
      base,
      remedy: 'Name one that is in this repository, after `base`.',
    });
  }

  async prepare(request: PlaceRequest): Promise<Prepared> {
    const { known, repository } = request;
    const place = known ?? (await this.#newPlace(request));
    mkdirSync(dirname(place.path), { recursive: true });
    const { run, task } = request;
    const added = await addWorktree(this.#git, { run, task, ...place, ...orderOf(place), repository });
    const marker = await readMarker(added.gitDir);
    await copyFiles(this.#git, request, added);
    const found = { ...place, path: added.path, base: marker?.base ?? place.base };
    return { place: found, isRecreated: added.isNew && known !== undefined };
  }

  /** From what its needs have made: the branch of the run, which begins with the first of its places. */
  async #newPlace({ run, task, generation, token, repository }: PlaceRequest): Promise<Place> {
    const name = generation === 0 ? task : `${task}~${generation + 1}`;
    const path = join(this.#folder, encodeName(run), encodeName(name));
    return { path, branch: taskBranch(run, name), base: await this.#headOf(run, repository), token };
  }

  async #headOf(run: string, repository: RepositoryPlace & { readonly base: string }): Promise<string> {
    const ref = runBranch(run);
    const head = await readRef(this.#git, repository, ref);
    if (head !== undefined) return head;
    const made = await moveRef(this.#git, repository, { ref, to: repository.base, from: undefined });
    return made.type === 'conflict' ? (made.actual ?? repository.base) : repository.base;
  }

  async integrate(request: IntegrateRequest): Promise<Integration> {
    return integrateResult(this.#git, { ...request, worktree: await findWork(this.#git, request) });
  }

  /** Undefined: it is gone. */
  async #worktreeOf({
    repository,
    known,
  }: PlaceRequest & { readonly known: Place }): Promise<WorktreePlace | undefined> {
    const entry = await findWorktree(this.#git, repository, known.path);
    if (entry?.gitDir === undefined || !existsSync(known.path)) return undefined;
    return { path: known.path, gitDir: entry.gitDir, commonDir: repository.commonDir };
  }

  async clean(request: CleanRequest, policy: CleanupPolicy): Promise<Cleaned> {
    if (policy === 'keep') return { how: 'kept', reason: 'cleanup is keep' };
    const worktree = await this.#worktreeOf(request);
    if (worktree === undefined) return this.#finishRemoval(request);
    return cleanWorktree(this.#git, { ...request, caches: this.#caches, worktree });
  }

  /** Killed in the middle of it, a removal may have left a rest. */
  async #finishRemoval({ run, task, repository, known: { path, token } }: CleanRequest): Promise<Cleaned> {
    const removal = await removeWorktree(this.#git, { run, task, token, path, repository });
    if (removal.type === 'refused') return { how: 'kept', reason: removal.why };
    return { how: 'removed', reason: 'it was gone already' };
  }
}

function orderOf({ path, branch, base, token }: Place): Place {
  return { path, branch, base, token };
}
