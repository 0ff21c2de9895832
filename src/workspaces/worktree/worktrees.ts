import { join } from 'node:path';
import { PitonError } from '../../base/index.ts';
import type { CleanupPolicy } from '../../model/index.ts';
import type {
  Cleaned,
  ForkOrder,
  IntegrateRequest,
  Integration,
  KnownRequest,
  PlacedOrder,
  PlaceRequest,
  Prepared,
  RepositoryOrigin,
  SaveRequest,
  Witness,
  WorkRequest,
  Workspaces,
} from '../contract.ts';
import type {
  CleanRequest,
  KeptArchive,
  Look,
  PlaceAdapter,
  Recorded,
  Stray,
  Leftovers,
} from '../upkeep-contract.ts';
import { listArchives, restoreInto } from './archives.ts';
import { stayInPlace } from '../stay-in-place.ts';
import { assertFree } from './assert-free.ts';
import { cleanPlace } from './clean-worktree.ts';
import { cleanStray } from './clean-stray.ts';
import { findRepository } from './find-repository.ts';
import { integrateResult } from './integrate-result.ts';
import { lookAtPlaces } from './look.ts';
import { hearNews } from './news.ts';
import type { WorktreeOptions } from './options.ts';
import { takeBackOwnFiles } from './own-files.ts';
import { preparePlace } from './prepare-worktree.ts';
import { savePlace } from './save.ts';
import { findStrays } from './strays.ts';
import type { WorktreeRequest } from './standing.ts';
import { findWitness } from './find-witness.ts';
import { keepForFork } from './keep-for-fork.ts';
import { countUncommitted, findObjects, readLink } from '../git/index.ts';

type Repositories = Pick<Workspaces, 'find' | 'uncommitted' | 'assertFree' | 'witness' | 'missing' | 'fork'>;

/** Places that are git worktrees of the repository the run was started in. */
export class WorktreeWorkspaces implements PlaceAdapter, Leftovers, Repositories {
  readonly #options: WorktreeOptions;

  constructor(options: WorktreeOptions) {
    this.#options = Object.freeze({ ...options });
  }

  async find(folder: string, base: string | undefined): Promise<RepositoryOrigin | undefined> {
    return findRepository(this.#options.git, folder, base);
  }

  async uncommitted({ root, commonDir }: RepositoryOrigin): Promise<number> {
    return countUncommitted(this.#options.git, { path: root, gitDir: await gitDirOf(root), commonDir });
  }

  /** A run that begins takes the configuration of the repository as it is now; one that is refused does not. */
  async assertFree(repository: RepositoryOrigin, run: string): Promise<void> {
    await assertFree(this.#options.git, repository, run);
    await this.#options.git.recordConfig(repository, { isFirst: false });
  }

  async fork(order: ForkOrder): Promise<void> {
    await this.#options.git.recordConfig(order.repository!, { isFirst: true });
    await keepForFork(this.#options.git, order.repository!, order);
  }

  async witness(repository: RepositoryOrigin, run: string): Promise<Witness | undefined> {
    return findWitness(this.#options.git, repository, run);
  }

  async missing(repository: RepositoryOrigin, names: readonly string[]): Promise<readonly string[]> {
    const found = await findObjects(this.#options.git, repository, names);
    return names.filter((_, index) => found[index] === undefined);
  }

  async prepare(request: PlaceRequest): Promise<Prepared> {
    const given = inRepositoryOf(request);
    // Of a run that was begun where nothing is known of that: by another user, or before it was recorded.
    await this.#options.git.recordConfig(given.repository, { isFirst: true });
    return preparePlace(this.#options, given);
  }

  /** Nothing is started in a place before the record of it is: so what `prepare` had to tell has been heard. */
  async enter<Order extends PlacedOrder>(request: WorkRequest, order: Order): Promise<Order> {
    const { known, kind } = request;
    await hearNews(this.#options.git, known);
    if (kind !== 'verify') await takeBackOwnFiles(this.#options.git, request);
    return stayInPlace(order, known.path);
  }

  async save(request: SaveRequest): Promise<string | undefined> {
    return savePlace(this.#options.git, inRepositoryOf(request));
  }

  async integrate(request: IntegrateRequest): Promise<Integration> {
    await hearNews(this.#options.git, request.known);
    const prepare = (again: PlaceRequest): Promise<Prepared> => this.prepare(again);
    return integrateResult({ git: this.#options.git, prepare }, request);
  }

  async clean(request: CleanRequest, policy: CleanupPolicy): Promise<Cleaned> {
    return cleanPlace(this.#options, { ...inRepositoryOf(request), policy });
  }

  async look(requests: readonly KnownRequest[]): Promise<readonly Look[]> {
    return lookAtPlaces(this.#options.git, requests.map(inRepositoryOf));
  }

  async strays(repository: RepositoryOrigin | undefined, recorded: Recorded): Promise<readonly Stray[]> {
    return findStrays(this.#options, repository, recorded);
  }

  async cleanStray(repository: RepositoryOrigin | undefined, stray: Stray): Promise<Cleaned> {
    return cleanStray(this.#options, repository, stray);
  }

  async archives(repository: RepositoryOrigin | undefined): Promise<readonly KeptArchive[]> {
    return repository === undefined ? [] : listArchives(this.#options.git, repository);
  }

  async restore(repository: RepositoryOrigin | undefined, ref: string, folder: string): Promise<void> {
    if (repository === undefined) throw noRepository();
    await restoreInto(this.#options.git, repository, { ref, folder });
  }
}

function inRepositoryOf<Request extends PlaceRequest>(request: Request): Request & WorktreeRequest {
  const { repository } = request;
  if (repository === undefined) throw noRepository();
  return { ...request, repository };
}

/** Of a checkout: it may itself be a worktree. */
async function gitDirOf(root: string): Promise<string> {
  const link = await readLink(root);
  return link.type === 'linked' ? link.gitDir : join(root, '.git');
}

function noRepository(): PitonError {
  return new PitonError('GIT_MISSING', 'A worktree needs a git repository, and there is none.', {
    remedy: 'Start the run in a repository, or let the task work in `shared` or `directory`.',
  });
}
