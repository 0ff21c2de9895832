/** A repository here, another machine that is this one, and places of tasks on it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ending, SpoolOrder, Spool } from '../../src/spool/index.ts';
import { LocalSpool } from '../../src/spool/local/index.ts';
import type {
  IntegrateRequest,
  Place,
  PlaceAdapter,
  PlaceRequest,
  WorkRequest,
} from '../../src/workspaces/index.ts';
import { runBranch } from '../../src/workspaces/git/index.ts';
import { RemoteWorkspaces } from '../../src/workspaces/remote/remote.ts';
import type { RemoteOptions } from '../../src/workspaces/remote/ports.ts';
import { WorktreeWorkspaces } from '../../src/workspaces/worktree/worktrees.ts';
import { compileCache } from './compile-cache.ts';
import { plainEnvironment } from './git-orders.ts';
import { playground, shell, type Playground } from './git-playground.ts';
import { sharedSshServer } from './shared-ssh-server.ts';
import type { SshServer } from './ssh-server.ts';

export interface RemoteBench extends Playground {
  readonly server: SshServer;
  readonly places: RemoteWorkspaces;
  readonly spool: Spool;
  readonly worktrees: WorktreeWorkspaces;
  open(more?: Partial<RemoteOptions>): RemoteWorkspaces;
  request(task: string, more?: Partial<PlaceRequest>): PlaceRequest;
  /** Starts a program in a place, through the spool, as the engine does. */
  start(
    request: WorkRequest,
    order: Partial<SpoolOrder> & { readonly argv: readonly string[] },
  ): Promise<Started>;
}

export interface Started {
  readonly attempt: string;
  /** Of the relay's wrapper here. */
  readonly pid: number;
  readonly ended: Promise<Ending | undefined>;
  stdout(): string;
  stderr(): string;
}

const at = Date.UTC(2026, 0, 2, 3, 4, 5);

/** Nothing is filled here: what is brought home comes from elsewhere. */
const noFilling = {
  fill: async () => undefined,
  isBrought: async () => false,
  isCopied: async () => false,
  release: async () => undefined,
};

export async function remoteBench(): Promise<RemoteBench> {
  const ground = playground();
  const shared = await sharedSshServer();
  const server = { ...shared, machine: { ...shared.machine, folder: join(ground.folder, 'there') } };
  const environment = plainEnvironment({ ...compileCache, ONLY_HERE: 'of this machine' });
  const folder = join(ground.folder, 'worktrees');
  const worktrees = new WorktreeWorkspaces({
    git: ground.git,
    folder,
    caches: ['node_modules'],
    filling: noFilling,
  });
  const open = (more: Partial<RemoteOptions> = {}): RemoteWorkspaces =>
    new RemoteWorkspaces({
      git: ground.git,
      machines: { box: server.machine },
      folder: join(ground.folder, 'mirrors'),
      caches: ['node_modules'],
      environment,
      worktree: async (): Promise<PlaceAdapter> => worktrees,
      patienceMs: 0,
      graceMs: 2_000,
      ...more,
    });
  const places = open();
  const spool = new LocalSpool({
    folder: join(ground.folder, 'spool'),
    keys: join(ground.folder, 'keys'),
    graceMs: 5_000,
    durability: 'process',
  });
  return {
    ...ground,
    server,
    places,
    spool,
    worktrees,
    open,
    request: (task, more = {}) => requestFor(ground, task, more),
    start: (request, order) => start({ places, spool, environment }, request, order),
  };
}

function requestFor(
  { root, base, repository }: Playground,
  task: string,
  more: Partial<PlaceRequest>,
): PlaceRequest {
  return {
    run: 'run-1',
    task,
    mode: { mode: 'remote', remote: 'box' },
    generation: 0,
    token: `token-${task}`,
    folder: root,
    repository: { root, ...repository, base, prefix: '' },
    copy: [],
    caches: [],
    ports: 0,
    artifactsOf: [],
    isAdopted: false,
    ...more,
  };
}

/** A place for a task, and the request of whoever works in it. */
export async function settled(
  bench: RemoteBench,
  task: string,
): Promise<{ work: WorkRequest; place: Place }> {
  const request = bench.request(task);
  const { place } = await bench.places.prepare(request);
  return { work: workIn(request, place), place };
}

/** The same request, once the place is there and somebody works in it. */
export function workIn(request: PlaceRequest, known: Place, more: Partial<WorkRequest> = {}): WorkRequest {
  return { ...request, known, attempt: `${request.task}_1`, seq: 1, at, ...more };
}

export function integrating(work: WorkRequest, more: Partial<IntegrateRequest> = {}): IntegrateRequest {
  return { ...work, isChecked: false, others: [], knownRefs: [], ...more };
}

export function contentOnBranch({ root }: Playground, path: string): string {
  return shell(root, 'show', `${runBranch('run-1')}:${path}`);
}

async function start(
  bench: Pick<RemoteBench, 'places' | 'spool'> & { readonly environment: Record<string, string> },
  request: WorkRequest,
  more: Partial<SpoolOrder> & { readonly argv: readonly string[] },
): Promise<Started> {
  const { spool, places, environment } = bench;
  const { run, task, attempt, known } = request;
  const order: SpoolOrder = {
    attempt,
    run,
    task,
    seq: 1,
    number: 1,
    key: known.token,
    directory: known.path,
    secrets: [],
    ...more,
    env: { ...environment, ...more.env },
  };
  const entered = await places.enter(request, order);
  await spool.prepare(entered);
  const process = await spool.start(entered);
  const output = (stream: 'stdout' | 'stderr'): string =>
    readFileSync(join(spool.folderOf(attempt), stream), 'utf8');
  return {
    attempt,
    pid: process.pid,
    ended: spool.ended(attempt, { process }),
    stdout: () => output('stdout'),
    stderr: () => output('stderr'),
  };
}
