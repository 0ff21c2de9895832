import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CleanRequest, PlaceRequest } from '../../src/workspaces/index.ts';
import { LocalFilling } from '../../src/workspaces/filling/local-filling.ts';
import { Git } from '../../src/workspaces/git/index.ts';
import { WorktreeWorkspaces } from '../../src/workspaces/worktree/worktrees.ts';
import { interleave, medianOf, medianRatio, timed } from '../rounds.ts';
import { atMost, atMostMs, type Row } from '../row.ts';
import { inFolder, scaled, type Durability, type Settings } from '../settings.ts';

const files = 500;
const placesLookedAt = 100;

/** Worktrees made, cleaned and looked at. Floor: git itself, without the promise that nothing is lost by it. */
export async function worktrees(settings: Settings): Promise<Row[]> {
  return [await making(settings, 'process'), await making(settings, 'full'), await looking(settings)];
}

function making(settings: Settings, durability: Durability): Promise<Row> {
  return inFolder(async (folder) => {
    const world = await makeWorld(folder, durability, settings);
    let made = 0;
    const samples = await interleave(settings.rounds * 4, {
      ours: () => timed(() => makeAndClean(world, `task-${made++}`)),
      floor: () => timed(() => addAndRemove(world, `plain-${made++}`)),
    });
    const ratio = medianRatio(samples, ['ours', 'floor']);
    return {
      load: `worktree of ${files} files made and cleaned (floor: git worktree add, remove)`,
      durability,
      unit: 'ms',
      ours: medianOf(samples, 'ours'),
      floor: medianOf(samples, 'floor'),
      ratio,
      target: atMost(ratio, 1.5, '×'),
    };
  });
}

function looking(settings: Settings): Promise<Row> {
  return inFolder(async (folder) => {
    const world = await makeWorld(folder, 'process', settings);
    const requests: CleanRequest[] = [];
    for (let index = 0; index < scaled(placesLookedAt, settings); index++) {
      const request = requestFor(world, `task-${index}`);
      requests.push(cleanOf(request, (await world.places.prepare(request)).place));
    }
    const samples = await interleave(settings.rounds, {
      ours: () => timed(() => world.places.look(requests)),
    });
    const ours = medianOf(samples, 'ours');
    const load = `reconcile ${placesLookedAt} places`;
    return { load, durability: 'process', unit: 'ms', ours, target: atMostMs(ours, 2000) };
  });
}

export interface World {
  readonly root: string;
  readonly base: string;
  readonly git: Git;
  readonly places: WorktreeWorkspaces;
}

export async function makeWorld(folder: string, durability: Durability, settings: Settings): Promise<World> {
  const root = join(folder, 'repository');
  for (let index = 0; index < scaled(files, settings); index++) {
    const path = join(root, `folder-${index % 20}`);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, `file-${index}.txt`), `${index}\n`.repeat(50));
  }
  const plain = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  plain('init', '--quiet');
  plain('add', '--all');
  plain('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '--quiet', '-m', 'first');
  const git = new Git({ environment: process.env, durability });
  const state = join(folder, 'state');
  const filling = new LocalFilling({ git, folder: state, portsFolder: join(state, 'ports') });
  const places = new WorktreeWorkspaces({ git, folder: join(state, 'worktrees'), caches: [], filling });
  return { root, base: plain('rev-parse', 'HEAD'), git, places };
}

async function makeAndClean({ places, ...world }: World, task: string): Promise<void> {
  const request = requestFor({ places, ...world }, task);
  const { place } = await places.prepare(request);
  const { how } = await places.clean(cleanOf(request, place), 'remove-when-clean-else-archive');
  if (how !== 'removed') throw new Error(`the worktree was ${how}`);
}

async function addAndRemove({ git, root }: World, name: string): Promise<void> {
  const path = join(root, '..', 'plain', name);
  await git.run(['worktree', 'add', '--quiet', '-b', name, path], { cwd: root });
  await git.run(['worktree', 'remove', path], { cwd: root });
}

export function requestFor({ root, base }: World, task: string): PlaceRequest {
  const repository = { root, commonDir: join(root, '.git'), base, prefix: '' };
  const wants = { copy: [], caches: [], ports: 0, artifactsOf: [], isAdopted: false };
  const mode = { mode: 'worktree' as const };
  return { run: 'bench', task, mode, generation: 0, token: task, folder: root, repository, ...wants };
}

export function cleanOf(request: PlaceRequest, known: CleanRequest['known']): CleanRequest {
  return { ...request, known, hasSucceeded: true, at: 0 };
}
