import type { CleanupPolicy } from '../../model/index.ts';
import type {
  Cleaned,
  IntegrateRequest,
  Integration,
  KnownRequest,
  PlacedOrder,
  PlaceRequest,
  Prepared,
  SaveRequest,
  WorkRequest,
} from '../contract.ts';
import type { CleanRequest, Look, PlaceAdapter } from '../upkeep-contract.ts';
import { cleanRemote } from './clean.ts';
import { enterRemote } from './enter.ts';
import { integrateRemote } from './integrate.ts';
import { bringHome } from './keep.ts';
import { lookAtRemote } from './look.ts';
import { hearNews } from './news.ts';
import {
  inPlace,
  inRepository,
  keepingOf,
  resolveOptions,
  type RemoteOptions,
  type Resolved,
} from './ports.ts';
import { preparePlace } from './prepare.ts';

/**
 * Places that are git worktrees on other machines, reached by ssh. Files go there and come home by git; programs are started there
 * by the same wrapper as here, and a relay here stands for them. Nothing but sh, git and the program itself is needed there.
 */
export class RemoteWorkspaces implements PlaceAdapter {
  readonly #options: Resolved;

  constructor(options: RemoteOptions) {
    this.#options = resolveOptions(options);
  }

  async prepare(request: PlaceRequest): Promise<Prepared> {
    return preparePlace(this.#options, inRepository(request));
  }

  async enter<Order extends PlacedOrder>(request: WorkRequest, order: Order): Promise<Order> {
    const work = inPlace(request);
    await hearNews(this.#options, work.known);
    return enterRemote(this.#options, work, order);
  }

  async save(request: SaveRequest): Promise<string | undefined> {
    return (await bringHome(keepingOf(this.#options, inPlace(request), request.label)))?.commit;
  }

  async integrate(request: IntegrateRequest): Promise<Integration> {
    const work = inPlace(request);
    await hearNews(this.#options, work.known);
    return integrateRemote(this.#options, work);
  }

  async clean(request: CleanRequest, policy: CleanupPolicy): Promise<Cleaned> {
    return cleanRemote(this.#options, inPlace(request), policy);
  }

  async look(requests: readonly KnownRequest[]): Promise<readonly Look[]> {
    return lookAtRemote(this.#options, requests);
  }
}
