import type { ArtifactOrder, Filling, ForkOrder, Place, PlaceRequest, PortBlock } from '../contract.ts';
import { join } from 'node:path';
import type { Git } from '../git/index.ts';
import { ArtifactStore } from './artifact-store.ts';
import { bringCaches, isSharedCache, type CacheTools } from './caches.ts';
import { forgetCopies, isNotedCopy } from './copy-notes.ts';
import { bringCopies, isUnchangedCopy, type CopyTools } from './copies.ts';
import { bringArtifacts, isUnchangedArtifact, type ArtifactTools } from './lay-out-artifacts.ts';
import type { ClaimSettings } from './port-claims.ts';
import { defaultRange, givePorts, portsFolder, releasePorts } from './ports.ts';

export interface FillingOptions {
  readonly git: Git;
  /** What lives as long as the store: `caches`, `artifacts`, and notes of `copies` are kept in it. */
  readonly folder: string;
  /** Where the ports of all Pitons of this user are shared out; default: below `XDG_STATE_HOME`. */
  readonly portsFolder?: string;
  /** Default: this process's. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Fills places that are on this machine, and keeps the artifacts that are brought into them. */
export class LocalFilling implements Filling {
  readonly #artifacts: ArtifactStore;
  readonly #tools: CopyTools & CacheTools & ArtifactTools;
  readonly #ports: ClaimSettings;

  constructor({ git, folder, environment = process.env, ...options }: FillingOptions) {
    const { durability } = git;
    this.#artifacts = new ArtifactStore({ folder: join(folder, 'artifacts'), durability });
    const [caches, notes] = [join(folder, 'caches'), join(folder, 'copies')];
    this.#tools = { git, durability, caches, notes, store: this.#artifacts };
    this.#ports = { folder: options.portsFolder ?? portsFolder(environment), ...defaultRange };
  }

  async fill(request: PlaceRequest, root: string): Promise<PortBlock | undefined> {
    const filled = { request, root };
    await bringCopies(this.#tools, filled);
    await bringArtifacts(this.#tools, filled);
    await bringCaches(this.#tools, filled);
    return request.ports === 0 ? undefined : givePorts(this.#ports, root, request.ports);
  }

  async isBrought(request: PlaceRequest, root: string, path: string): Promise<boolean> {
    const filled = { request, root };
    return (
      (await isUnchangedCopy(filled, path)) ||
      (await this.isCopied(root, path)) ||
      isUnchangedArtifact(this.#tools, filled, path)
    );
  }

  async isCopied(root: string, path: string): Promise<boolean> {
    return (await isSharedCache(this.#tools, root, path)) || isNotedCopy(this.#tools, root, path);
  }

  async release({ path, ports }: Pick<Place, 'path' | 'ports'>): Promise<void> {
    await forgetCopies(this.#tools, path);
    if (ports !== undefined) releasePorts(this.#ports, path);
  }

  fork(order: ForkOrder): Promise<void> {
    return this.#artifacts.fork(order);
  }

  keepArtifacts(order: ArtifactOrder): Promise<{ readonly bytes: number }> {
    return this.#artifacts.keepArtifacts(order);
  }
}
