import { dirname, join } from 'node:path';
import type { RemoteMachine } from './model/index.ts';
import type { Git } from './workspaces/git/index.ts';
import {
  lazily,
  type Delivery,
  type FileCare,
  type KeptCare,
  type Leftovers,
  type PlaceCare,
  type Upkeep,
  type Workspaces,
} from './workspaces/index.ts';
import type { RoutedPlaces } from './workspaces/router/router.ts';

export interface DeliveryOptions {
  /** The remote repository that branches are pushed to, by its name in git. */
  readonly remote?: string;
  /** What opens pull requests instead of `gh`: shell text. */
  readonly command?: string;
}

/** What the places of one opened Piton are made of. */
export interface PlacesOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly durability: 'full' | 'process';
  /** How long a task that was asked to stop may take. */
  readonly graceMs: number;
  /** Names of folders that can be made again. */
  readonly disposable: readonly string[];
  readonly remotes: Readonly<Record<string, RemoteMachine>>;
  readonly delivery: DeliveryOptions;
  /** Places live as long as the store, and lie beside its spool. */
  readonly spool: string;
  /** Of the user, outside of all projects. */
  readonly keys: string;
}

export interface Places {
  readonly workspaces: Workspaces;
  readonly upkeep: Upkeep;
  readonly delivery: Delivery;
  /** Ends the gits that wait for questions. */
  closePlaces(): Promise<void>;
}

/** All of it is loaded when it is used: most runs need no place of their own. */
const parts = {
  router: () => import('./workspaces/router/router.ts'),
  filling: () => import('./workspaces/filling/local-filling.ts'),
  git: () => import('./workspaces/git/index.ts'),
  worktree: () => import('./workspaces/worktree/worktrees.ts'),
  directory: () => import('./workspaces/directory/directories.ts'),
  remote: () => import('./workspaces/remote/remote.ts'),
  upkeep: () => import('./workspaces/upkeep/index.ts'),
  delivery: () => import('./workspaces/delivery/git-delivery.ts'),
};

const ofWorkspaces = {
  prepare: true,
  enter: true,
  save: true,
  integrate: true,
  find: true,
  uncommitted: true,
  assertFree: true,
  witness: true,
  missing: true,
  fork: true,
  keepArtifacts: true,
} as const;

const ofLeftovers = {
  clean: true,
  look: true,
  strays: true,
  cleanStray: true,
  archives: true,
  restore: true,
} as const;

const ofKept = {
  bytesOf: true,
  keptRefs: true,
  dropArchive: true,
  mergedBranches: true,
  dropBranch: true,
} as const;

const ofFiles = { bundle: true, unpack: true, restoreRefs: true } as const;

const ofDelivery = { merge: true, openPullRequest: true, process: true, diff: true } as const;

export async function loadPlaces(): Promise<void> {
  await Promise.all(Object.values(parts).map((load) => load()));
}

export function makePlaces(options: PlacesOptions): Places {
  const { environment, delivery: settings } = options;
  const folder = dirname(options.spool);
  let opened: Promise<Git> | undefined;
  const git = (): Promise<Git> => (opened ??= openGit(options));
  let routed: Promise<RoutedPlaces> | undefined;
  const places = (): Promise<RoutedPlaces> => (routed ??= routePlaces(options, { folder, git }));
  return {
    workspaces: lazily<Workspaces>(places, ofWorkspaces),
    upkeep: {
      ...lazily<PlaceCare & Leftovers>(places, ofLeftovers),
      ...lazily<KeptCare>(async () => {
        const { makeUpkeep } = await parts.upkeep();
        return makeUpkeep({ git: await git(), archives: join(folder, 'archive') });
      }, ofKept),
      ...lazily<FileCare>(async () => {
        const { makeFileCare } = await parts.upkeep();
        return makeFileCare(await git());
      }, ofFiles),
    },
    delivery: lazily<Delivery>(async () => {
      const { gitDelivery } = await parts.delivery();
      return gitDelivery({ git: await git(), environment, settings });
    }, ofDelivery),
    closePlaces: async () => (await opened)?.close(),
  };
}

async function openGit({ environment, durability }: PlacesOptions): Promise<Git> {
  const { Git } = await parts.git();
  return new Git({ environment, durability });
}

async function routePlaces(
  options: PlacesOptions,
  { folder, git: open }: { readonly folder: string; git(): Promise<Git> },
): Promise<RoutedPlaces> {
  const git = await open();
  const { routeWorkspaces } = await parts.router();
  const { LocalFilling } = await parts.filling();
  const { environment, durability, disposable: caches } = options;
  const filling = new LocalFilling({ git, folder, environment });
  const worktree = async () => {
    const { WorktreeWorkspaces } = await parts.worktree();
    return new WorktreeWorkspaces({ git, folder: join(folder, 'worktrees'), caches, filling });
  };
  return routeWorkspaces({
    worktree,
    directory: async () => {
      const { DirectoryWorkspaces } = await parts.directory();
      const folders = { folder: join(folder, 'directories'), archive: join(folder, 'archive') };
      return new DirectoryWorkspaces({ ...folders, filling, durability });
    },
    remote: async () => {
      const { RemoteWorkspaces } = await parts.remote();
      return new RemoteWorkspaces({
        git,
        machines: options.remotes,
        folder: join(folder, 'from-remotes'),
        caches,
        environment,
        worktree,
        graceMs: options.graceMs,
        keys: options.keys,
      });
    },
    artifacts: async () => filling,
  });
}
