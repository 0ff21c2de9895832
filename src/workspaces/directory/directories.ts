import { join, relative } from 'node:path';
import { isInside, PitonError } from '../../base/index.ts';
import type { CleanupPolicy } from '../../model/index.ts';
import type {
  Cleaned,
  Filling,
  Integration,
  KnownRequest,
  Place,
  PlacedOrder,
  PlaceRequest,
  Prepared,
  RepositoryOrigin,
  WorkRequest,
} from '../contract.ts';
import type { CleanRequest, KeptArchive, Look, PlaceAdapter, Recorded, Stray } from '../upkeep-contract.ts';
import { filled } from '../filled.ts';
import { stayInPlace } from '../stay-in-place.ts';
import { type Durability } from '../files.ts';
import { placeWay } from '../git/index.ts';
import { listArchives, restoreFolder } from './archive.ts';
import { cleanDirectory, type CleanTools } from './clean-directory.ts';
import { lookAtDirectory } from './look.ts';
import { hearNews } from './marker.ts';
import { prepareDirectory } from './prepare-directory.ts';
import { cleanStrayFolder, findStrays } from './strays.ts';

export interface DirectoryOptions {
  /** Where folders are made, one for each run. */
  readonly folder: string;
  /** Where those are kept that are needed no more; on the same disk. */
  readonly archive: string;
  readonly filling: Filling;
  readonly durability: Durability;
}

/** Folders that need not be kept. Not those of the configuration: without git, `target` may be what somebody has written. */
const caches: readonly string[] = ['node_modules'];

/** Places that are folders, empty or copies: there is no git in between, so what is made there stays there. */
export class DirectoryWorkspaces implements PlaceAdapter {
  readonly #folder: string;
  readonly #tools: CleanTools;

  constructor({ folder, archive, filling, durability }: DirectoryOptions) {
    this.#folder = folder;
    this.#tools = { archive, filling, durability, caches };
  }

  async prepare(request: PlaceRequest): Promise<Prepared> {
    const place = request.known ?? this.#newPlace(request);
    const news = await prepareDirectory(this.#tools, { request, place });
    const { ports: _, ...rest } = place;
    return { ...news, ...(await filled(this.#tools.filling, request, rest)) };
  }

  #newPlace(request: PlaceRequest): Place {
    return { kind: 'directory', path: join(this.#folder, placeWay(request)), token: request.token };
  }

  async enter<Order extends PlacedOrder>({ known }: WorkRequest, order: Order): Promise<Order> {
    await hearNews(known, this.#tools.durability);
    return stayInPlace(order, known.path);
  }

  async save(): Promise<undefined> {
    return undefined;
  }

  async integrate({ task, known }: WorkRequest): Promise<Integration> {
    const message = `${task} works in a folder, ${known.path}: there is no branch to bring its work to. This is a defect of Piton.`;
    throw new PitonError('WORKTREE_REFUSED', message, { task, path: known.path });
  }

  clean(request: CleanRequest, policy: CleanupPolicy): Promise<Cleaned> {
    return cleanDirectory(this.#tools, request, policy);
  }

  async look(requests: readonly KnownRequest[]): Promise<readonly Look[]> {
    const looks: Look[] = [];
    for (const request of requests) looks.push(await lookAtDirectory(this.#tools, request));
    return looks;
  }

  /** Whether a path is in one of the folders that this kind alone writes to. */
  isOwn(path: string): boolean {
    return isInside(relative(this.#folder, path));
  }

  strays(_repository: RepositoryOrigin | undefined, recorded: Recorded): Promise<readonly Stray[]> {
    return findStrays(this.#folder, recorded);
  }

  async cleanStray(_repository: RepositoryOrigin | undefined, stray: Stray): Promise<Cleaned> {
    const way = relative(this.#folder, stray.name);
    const isOurs = isInside(way) && way.split('/').length === 2;
    if (!isOurs) return { how: 'kept', reason: `${stray.name} is not in ${this.#folder}` };
    return cleanStrayFolder(this.#tools, stray);
  }

  archives(_repository: RepositoryOrigin | undefined): Promise<readonly KeptArchive[]> {
    return listArchives(this.#tools);
  }

  restore(_repository: RepositoryOrigin | undefined, ref: string, folder: string): Promise<void> {
    return restoreFolder(this.#tools, ref, folder);
  }
}
