import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place, WorkRequest } from '../../src/workspaces/index.ts';
import { interleave, medianOf, medianRatio, timed } from '../rounds.ts';
import { atMost, type Row } from '../row.ts';
import { inFolder, scaled, type Settings } from '../settings.ts';
import { cleanOf, makeWorld, requestFor, type World } from './worktrees.ts';

const most = 12;

/**
 * The places of tasks that each write one file, and what they make brought together. Floor: the same by hand, a git after the
 * other, without anything saved or proven to be kept.
 */
export async function worktreeTasks(settings: Settings): Promise<Row[]> {
  return [await atOnce(settings, 1, 2), await atOnce(settings, most, 1.5)];
}

function atOnce(settings: Settings, tasks: number, limit: number): Promise<Row> {
  const count = scaled(tasks, settings);
  return inFolder(async (folder) => {
    const world = await makeWorld(folder, 'process', settings);
    const checkout = join(folder, 'checkout');
    await world.git.run(['worktree', 'add', '--quiet', '-b', 'plain', checkout], { cwd: world.root });
    let round = 0;
    const all = async (live: (task: string, inTurn: InTurn) => Promise<void>): Promise<void> => {
      const inTurn = oneByOne();
      const names = Array.from({ length: count }, (_, index) => `task-${round}-${index}`);
      round++;
      await Promise.all(names.map((name) => live(name, inTurn)));
    };
    const samples = await interleave(settings.rounds, {
      ours: () => timed(() => all((task, inTurn) => liveWith(world, task, inTurn))),
      floor: () => timed(() => all((task, inTurn) => liveByHand({ ...world, checkout }, task, inTurn))),
    });
    world.git.close();
    const ratio = medianRatio(samples, ['ours', 'floor']);
    return {
      load: `${tasks === 1 ? 'one task' : `${tasks} tasks`} in worktrees: made, saved, merged, cleaned (floor: git by hand)`,
      durability: 'process',
      unit: 'ms',
      ours: medianOf(samples, 'ours'),
      floor: medianOf(samples, 'floor'),
      ratio,
      target: atMost(ratio, limit, '×'),
    };
  });
}

type InTurn = (act: () => Promise<unknown>) => Promise<void>;

/** As the merge queue of a run does it. */
function oneByOne(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return async (act) => {
    last = last.then(act);
    await last;
  };
}

async function liveWith(world: World, task: string, inTurn: InTurn): Promise<void> {
  const { places } = world;
  const request = requestFor(world, task);
  const { place } = await places.prepare(request);
  work(place.path, task);
  const done = workOf(world, task, place);
  await places.save({ ...done, label: 'at the end' });
  let result = '';
  await inTurn(async () => {
    const integrated = await places.integrate({ ...done, isChecked: false, others: [] });
    if (integrated.type !== 'integrated') throw new Error(`${task}: ${JSON.stringify(integrated)}`);
    ({ result } = integrated);
  });
  const cleaned = await places.clean(
    { ...cleanOf(request, place), result },
    'remove-when-clean-else-archive',
  );
  if (cleaned.how !== 'removed') throw new Error(`${task} was ${cleaned.how}: ${cleaned.reason}`);
}

function workOf(world: World, task: string, known: Place): WorkRequest {
  return { ...requestFor(world, task), known, attempt: task, seq: 1, at: 0 };
}

async function liveByHand(
  { git, root, checkout }: World & { readonly checkout: string },
  task: string,
  inTurn: InTurn,
): Promise<void> {
  const path = join(root, '..', 'plain', task);
  const as = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  // Two at once would die of each other's records.
  await inTurn(() => git.run(['worktree', 'add', '--quiet', '-b', task, path, 'plain'], { cwd: root }));
  work(path, task);
  await git.run(['add', '--all'], { cwd: path });
  await git.run([...as, 'commit', '--quiet', '--message', task], { cwd: path });
  await inTurn(() => git.run([...as, 'merge', '--quiet', '--no-ff', '--no-edit', task], { cwd: checkout }));
  await inTurn(() => git.run(['worktree', 'remove', path], { cwd: root }));
  await git.run(['branch', '--quiet', '--delete', '--force', task], { cwd: root });
}

function work(folder: string, task: string): void {
  writeFileSync(join(folder, `${task}.txt`), `${task}\n`);
}
