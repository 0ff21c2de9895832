/** A run in a repository of a user: tasks that work in worktrees, and are brought in. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type {
  IntegrateRequest,
  Integration,
  Place,
  PlaceRequest,
  Prepared,
  RepositoryOrigin,
} from '../../src/workspaces/index.ts';
import {
  addWorktree,
  listRefs,
  moveRef,
  tidyRecord,
  runBranch,
  taskBranch,
  writeMarker,
  type Git,
} from '../../src/workspaces/git/index.ts';
import { integrateResult } from '../../src/workspaces/worktree/integrate-result.ts';
import { at } from './git-orders.ts';
import { playground, shell, type Playground } from './git-playground.ts';
import type { Template } from './template.ts';

export const run = 'run-1';

export interface Worker {
  readonly path: string;
  readonly request: IntegrateRequest & { readonly known: Place & { readonly branch: string } };
  /** What its branch is at. */
  branch(): string;
  head(): string;
  integrate(more?: Partial<IntegrateRequest>): Promise<Integration>;
}

export interface Scene extends Playground {
  readonly origin: RepositoryOrigin;
  /** A task that has a worktree from what the run has made up to now. */
  worker(task: string, more?: Partial<IntegrateRequest>): Promise<Worker>;
  runTip(): string;
}

export async function scene(prefix = '', template?: Template): Promise<Scene> {
  const ground = playground('repo', template);
  const { git, repository, base, root } = ground;
  const origin = { root, commonDir: repository.commonDir, base, prefix };
  await moveRef(git, repository, { ref: runBranch(run), to: base, from: undefined });
  const runTip = (): string => shell(root, 'rev-parse', runBranch(run));
  return {
    ...ground,
    origin,
    runTip,
    worker: async (task, more = {}) => {
      const path = join(ground.folder, 'worktrees', task);
      const known = { path, token: `token-${task}`, branch: taskBranch(run, task), base: runTip() };
      const request: Worker['request'] = { ...requestOf(task, origin), ...more, known };
      const worktree = await makePlace(git, request);
      return {
        path: worktree.path,
        request,
        branch: () => shell(root, 'rev-parse', known.branch),
        head: () => shell(path, 'rev-parse', 'HEAD'),
        integrate: (further = {}) =>
          integrateResult({ git, prepare: preparing(git) }, { ...request, ...further }),
      };
    },
  };
}

function requestOf(task: string, repository: RepositoryOrigin) {
  return {
    run,
    task,
    mode: { mode: 'worktree' as const },
    generation: 0,
    token: `token-${task}`,
    folder: join(repository.root, repository.prefix),
    repository,
    copy: [],
    caches: [],
    ports: 0,
    artifactsOf: [],
    isAdopted: false,
    attempt: `attempt-${task}`,
    seq: 7,
    at,
    isChecked: false,
    others: [],
    knownRefs: [],
  };
}

/** With what refs were when it was made. */
async function makePlace(git: Git, { task, known, repository }: PlaceRequest) {
  const { path, token, branch, base } = known!;
  const order = { repository: repository!, run, task, token, path, branch: branch!, base: base! };
  const added = await addWorktree(git, order);
  const marker = (await tidyRecord(added.gitDir))!;
  const refs = [...(await listRefs(git, repository!))].filter(([ref]) => !/\/piton/.test(ref));
  await writeMarker(git, added.gitDir, { ...marker, refs: Object.fromEntries(refs) });
  return added;
}

/** Makes a place again from its snapshot, if it is gone. */
export function preparing(git: Git): (request: PlaceRequest) => Promise<Prepared> {
  return async (request) => {
    const { known, snapshot, repository } = request;
    if (existsSync(known!.path)) throw new Error(`${known!.path} is there`);
    shell(repository!.root, 'worktree', 'prune');
    const { path } = await makePlace(git, request);
    shell(path, 'checkout', '--quiet', snapshot!, '--', '.');
    return { place: known!, recovered: { found: 'it was gone', how: 'restored', from: snapshot! } };
  };
}
