/** The lives of worktrees, step by step, as a process that can be killed anywhere and started again. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleaned, Place, PlaceRequest, RepositoryOrigin } from '../../src/workspaces/index.ts';
import type { WorktreeWorkspaces } from '../../src/workspaces/worktree/worktrees.ts';
import { plainEnvironment } from './git-orders.ts';
import { openLocal, placeRequest } from './local-places.ts';

export interface WorktreeLives {
  readonly state: string;
  readonly root: string;
  readonly commonDir: string;
  readonly base: string;
}

/** What is recorded, as a journal does it. */
export interface Records {
  readonly [task: string]: Recorded;
}

interface Recorded {
  readonly place?: Place;
  readonly snapshot?: string;
  /** What a person wants done with it, until it is done. */
  readonly order?: 'discard' | 'done';
  readonly hasEnded?: boolean;
  readonly cleaned?: Cleaned;
  /** A person has deleted it. */
  readonly isLost?: boolean;
}

const at = Date.UTC(2026, 0, 2, 3, 4, 5);
const slot = { slot: { pool: 'build', number: 1 } };

/** Every step may have been done already, or half of it. */
export async function liveInWorktrees(lives: WorktreeLives): Promise<Records> {
  const life = new Lives(lives);
  if (!life.isDone('build[a]')) {
    await life.prepare('build[a]', slot);
    await life.work('build[a]', slot);
  }
  await life.prepare('build[b]', slot);
  await life.work('build[b]', slot);
  await life.prepare('other');
  await life.work('other');
  await life.lose('other');
  await life.prepare('other');
  await life.discard('other');
  await life.clean('build[b]', slot);
  await life.clean('other');
  return life.records();
}

class Lives {
  readonly #lives: WorktreeLives;
  readonly #places: WorktreeWorkspaces;
  readonly #repository: RepositoryOrigin;

  constructor(lives: WorktreeLives) {
    const { state, root, commonDir, base } = lives;
    this.#lives = lives;
    this.#places = openLocal({ kind: 'worktree', state, folder: root }).places as WorktreeWorkspaces;
    this.#repository = { root, commonDir, base, prefix: '' };
    mkdirSync(state, { recursive: true });
  }

  async prepare(task: string, more: Partial<PlaceRequest> = {}): Promise<void> {
    if (this.#of(task).hasEnded === true) return;
    const request = this.#request(task, more);
    const { place, handedOver } = await this.#places.prepare(request);
    this.#record(task, { place, ...(request.order !== undefined && { order: 'done' }) });
    if (handedOver !== undefined) this.#record(handedOver.task, { cleaned: handedOver.cleaned });
    const order = { attempt: 'a1', argv: ['true'], directory: place.path, env: {} };
    await this.#places.enter({ ...request, known: place, attempt: 'a1', seq: 1, at }, order);
  }

  /** A commit, something that is not committed, and something ignored. */
  async work(task: string, more: Partial<PlaceRequest> = {}): Promise<void> {
    const { place, snapshot } = this.#of(task);
    if (snapshot !== undefined) return;
    const { path, base } = place!;
    if (git(path, 'rev-parse', 'HEAD') === base) {
      writeFileSync(join(path, 'made.txt'), task);
      git(path, 'add', 'made.txt');
      git(path, 'commit', '--quiet', '-m', `made ${task}`);
    }
    writeFileSync(join(path, 'draft.txt'), task);
    writeFileSync(join(path, 'debug.log'), task);
    const work = { ...this.#request(task, more), known: place!, attempt: 'a1', seq: 1, at };
    const saved = await this.#places.save({ ...work, label: 'after the work' });
    this.#record(task, { snapshot: saved! });
  }

  async lose(task: string): Promise<void> {
    const { place, isLost } = this.#of(task);
    if (isLost === true) return;
    rmSync(place!.path, { recursive: true, force: true });
    this.#record(task, { isLost: true });
  }

  async discard(task: string): Promise<void> {
    if (this.#of(task).order !== undefined) return;
    this.#record(task, { order: 'discard' });
    await this.prepare(task);
  }

  async clean(task: string, more: Partial<PlaceRequest> = {}): Promise<void> {
    const { place, cleaned } = this.#of(task);
    if (cleaned !== undefined) return;
    this.#record(task, { hasEnded: true });
    const request = { ...this.#request(task, more), known: place!, hasSucceeded: false, at };
    this.#record(task, { cleaned: await this.#places.clean(request, 'remove-when-clean-else-archive') });
  }

  #request(task: string, more: Partial<PlaceRequest>): PlaceRequest {
    const { place, snapshot, order } = this.#of(task);
    const wanted = order === 'discard' ? { order: { id: 'o1', action: order } as const } : {};
    const known = {
      ...(place !== undefined && { known: place }),
      ...(snapshot !== undefined && { snapshot }),
    };
    const world = {
      folder: this.#lives.root,
      repository: this.#repository,
      mode: { mode: 'worktree' } as const,
    };
    return placeRequest(world, task, { ...known, ...wanted, ...more });
  }

  isDone(task: string): boolean {
    return this.#of(task).snapshot !== undefined;
  }

  #of(task: string): Recorded {
    return this.records()[task] ?? {};
  }

  records(): Records {
    const file = join(this.#lives.state, 'records.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Records) : {};
  }

  #record(task: string, news: Recorded): void {
    const file = join(this.#lives.state, 'records.json');
    const records = this.records();
    writeFileSync(`${file}.draft`, JSON.stringify({ ...records, [task]: { ...records[task], ...news } }));
    renameSync(`${file}.draft`, file);
  }
}

/** As an agent calls it: at all times the same commits. */
function git(cwd: string, ...args: string[]): string {
  const [date, name, mail] = ['@1700000000 +0000', 'Ada', 'ada@example.org'];
  const env = plainEnvironment({
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
    GIT_AUTHOR_NAME: name,
    GIT_COMMITTER_NAME: name,
    GIT_AUTHOR_EMAIL: mail,
    GIT_COMMITTER_EMAIL: mail,
  });
  return execFileSync('git', args, { cwd, env, encoding: 'utf8' }).trim();
}
