/** The whole life of a worktree, step by step, as a process that can be killed anywhere and started again. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  addWorktree,
  archiveRef,
  archiveWorktree,
  commitResult,
  findWorktree,
  type Git,
  mergeInto,
  moveRef,
  proveKept,
  readRef,
  removeWorktree,
  restoreArchive,
  runBranch,
  snapshotRef,
  snapshotTree,
  taskBranch,
  type AddedWorktree,
  type WorktreeOrder,
} from '../../src/workspaces/git/index.ts';
import { at, trailers } from './git-orders.ts';

export interface LifeOrder {
  readonly commonDir: string;
  readonly worktrees: string;
  readonly base: string;
}

const run = 'run-1';
const task = 'build';
const caches = ['node_modules'];

/** Every step may have been done already, or half of it. */
export async function live(git: Git, { commonDir, worktrees, base }: LifeOrder): Promise<void> {
  const repository = { commonDir };
  const order: WorktreeOrder = {
    repository,
    path: join(worktrees, task),
    branch: taskBranch(run, task),
    base,
    run,
    task,
    token: 'token-1',
  };
  const archive = archiveRef(run, task, at);
  if ((await readRef(git, repository, archive)) === undefined) await work(git, order);
  await clean(git, order);
  const again = {
    ...order,
    path: join(worktrees, 'again'),
    branch: taskBranch(run, 'again'),
    token: 'token-2',
  };
  await restoreArchive(git, { ...again, archive });
}

async function work(git: Git, order: WorktreeOrder): Promise<void> {
  const { repository, base } = order;
  await moveRef(git, repository, { ref: runBranch(run), to: base, from: undefined });
  const worktree = await addWorktree(git, order);
  toil(worktree);
  const ref = snapshotRef({ run, task, attempt: trailers.attempt, number: 1 });
  // The files of the first snapshot are those before the commit: later, they are those of HEAD.
  if ((await readRef(git, repository, ref)) === undefined)
    await snapshotTree(git, { worktree, ref, message: 'A snapshot', trailers, at });
  const result = await commitResult(git, {
    worktree,
    base,
    ref: order.branch,
    message: 'A result',
    trailers,
    at,
  });
  if (result.type !== 'committed') throw new Error(`the result is ${result.type}`);
  await integrate(git, order, result.commit);
  await archiveWorktree(git, { worktree, trailers, at, caches });
}

/** What an agent leaves, always the same. */
function toil({ path }: AddedWorktree): void {
  writeFileSync(join(path, 'README.md'), 'changed\n');
  writeFileSync(join(path, 'new file.txt'), 'new\n');
  writeFileSync(join(path, 'ignored.log'), 'ignored\n');
}

async function integrate(git: Git, { repository, base }: WorktreeOrder, theirs: string): Promise<void> {
  const ref = runBranch(run);
  const ours = (await readRef(git, repository, ref)) ?? base;
  const merged = await mergeInto(git, { repository, ours, theirs, message: 'Merge build', trailers, at });
  if (merged.type === 'conflict') throw new Error(merged.messages.join());
  if (merged.type === 'merged') await moveRef(git, repository, { ref, to: merged.commit, from: ours });
}

async function clean(git: Git, order: WorktreeOrder): Promise<void> {
  const { path, repository } = order;
  const worktree = await findPlace(git, order);
  if (worktree !== undefined) {
    const proof = await proveKept(git, { worktree, trailers, at, caches });
    if (!proof.isKept) throw new Error(`not kept: ${JSON.stringify(proof.missing)}`);
  }
  const removal = await removeWorktree(git, { run, task, token: order.token, repository, path });
  if (removal.type === 'refused') throw new Error(removal.why);
}

async function findPlace(git: Git, order: WorktreeOrder) {
  const entry = await findWorktree(git, order.repository, order.path);
  if (entry?.gitDir === undefined || entry.prunable !== undefined) return undefined;
  return { path: order.path, gitDir: entry.gitDir, commonDir: order.repository.commonDir };
}
