import { join } from 'node:path';
import { expect } from 'vitest';
import {
  commit,
  fingerprint,
  fsck,
  playground,
  shell,
  treeOf,
  type Playground,
} from '../support/git-playground.ts';
import { twoAtATime, killAt, pointsPassed, type Choice, type Starter } from '../support/kill.ts';
import { excludeIgnored, openLocal, placeRequest, plainFolder } from '../support/local-places.ts';
import { livePlace, type PlaceLife } from '../support/place-life.ts';
import { openRemote, type RemoteWorld } from '../support/remote-world.ts';
import { sharedSshServer } from '../support/shared-ssh-server.ts';
import { startProgram } from '../support/start-program.ts';
import { workTwice } from '../support/work-twice.ts';

interface Trial {
  readonly ground: Playground;
  readonly world: RemoteWorld;
  readonly life: PlaceLife;
  readonly starter: Starter;
}

async function trial(program = 'remote-life'): Promise<Trial> {
  const { machine } = await sharedSshServer();
  const ground = playground();
  const { root, repository, folder } = ground;
  excludeIgnored(repository.commonDir);
  const base = commit(root, { 'start.txt': 'start\n' });
  plainFolder(root);
  const world = {
    state: join(folder, 'state'),
    folder: root,
    machine: { ...machine, folder: join(folder, 'there') },
  };
  const origin = { ...repository, root, base, prefix: '' };
  const mode = { mode: 'remote', remote: 'box' } as const;
  const request = placeRequest({ folder: root, repository: origin, mode }, 'build', { copy: ['.env'] });
  const life = { request, notes: join(folder, 'notes.json') };
  const starter: Starter = (env) => startProgram(program, { args: [JSON.stringify({ world, life })], env });
  return { ground, world, life, starter };
}

/** What must be the same, wherever the process was killed. */
async function endOf({ ground, world, life }: Trial): Promise<object> {
  const { cleaned } = await livePlace(openRemote(world), life);
  const worktrees = shell(ground.root, 'worktree', 'list').split('\n').length;
  const branches = shell(ground.root, 'for-each-ref', '--format=%(refname)', 'refs/heads');
  const target = join(ground.folder, 'restored');
  await openLocal({ ...world, kind: 'worktree' }).places.restore(
    life.request.repository,
    cleaned!.ref!,
    target,
  );
  return {
    how: cleaned!.how,
    kept: fingerprint(target, (name) => name === '.git'),
    worktrees,
    branches,
    fsck: fsck(ground.root),
  };
}

/** What this adapter does itself; the rest is tested with worktrees. */
function ownEffects(places: readonly string[]): string[] {
  const own = places.filter((place) => /^after:(remote\.|git\.(remote|mirror)-)/.test(place));
  return [...Map.groupBy(own, (place) => place.split('#')[0]).values()].map((same) => same[0]!);
}

/** The life of a place on another machine ends as if nothing had happened. Gives how often it was killed. */
export async function killElsewhere(choose: Choice): Promise<number> {
  const untouched = await trial();
  const places = ownEffects((await pointsPassed(untouched.starter)).flat());
  expect(places.length).toBeGreaterThan(6);
  const expected = await endOf(untouched);
  expect(expected).toMatchObject({ how: 'archived', worktrees: 1 });
  const chosen = choose(places);
  await twoAtATime(
    await Promise.all(chosen.map(async (place) => ({ place, ...(await trial()) }))),
    async ({ place, ...rest }) => {
      await killAt(place, rest.starter);
      expect({ place, ...(await endOf(rest)) }).toEqual({ place, ...expected });
    },
  );
  return chosen.length;
}

/** What a task has made the second time is brought home over what it made the first time. Gives how often it was killed. */
export async function killMirrors(): Promise<number> {
  const untouched = await trial('remote-twice');
  const passed = (await pointsPassed(untouched.starter)).flat();
  const places = passed.filter((place) => /^after:git\.mirror-(read|filled|moved|settled)#1$/.test(place));
  await twoAtATime(places, async (place) => {
    const { ground, world, life, starter } = await trial('remote-twice');
    await killAt(place, starter);
    const commit = await workTwice(openRemote(world), life);
    expect([place, treeOf(ground.root, commit)]).toMatchObject([place, { 'a1.txt': 'a1', 'a2.txt': 'a2' }]);
    expect([place, fsck(ground.root)]).toEqual([place, '']);
  });
  return places.length;
}
