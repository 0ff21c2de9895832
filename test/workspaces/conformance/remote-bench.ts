import { join } from 'node:path';
import { commit, playground, shell } from '../../support/git-playground.ts';
import {
  excludeIgnored,
  namesBelow,
  openLocal,
  placeRequest,
  plainFolder,
} from '../../support/local-places.ts';
import { openRemote } from '../../support/remote-world.ts';
import { sharedSshServer } from '../../support/shared-ssh-server.ts';
import { startProgram } from '../../support/start-program.ts';
import type { PlaceBench } from './bench.ts';

/** `prefix`: the way from the top of the repository to the folder of the run. */
export async function remotePlaceBench(prefix: string): Promise<PlaceBench> {
  const { machine } = await sharedSshServer();
  const { root, repository, folder: world } = playground();
  excludeIgnored(repository.commonDir);
  const base = commit(root, { [join(prefix, 'start.txt')]: 'start\n' });
  const folder = join(root, prefix);
  plainFolder(folder);
  const there = join(world, 'there');
  const setting = { state: join(folder, '.piton'), folder, machine: { ...machine, folder: there } };
  const origin = { ...repository, root, base, prefix };
  const { places, filling } = openLocal({ ...setting, kind: 'worktree' });
  const remotePlaces = openRemote(setting);
  return {
    folder,
    open: () => remotePlaces,
    request: (task, more) =>
      placeRequest({ folder, repository: origin, mode: { mode: 'remote', remote: 'box' } }, task, more),
    restore: (ref, target) => places.restore(origin, ref, target),
    keepArtifacts: (order) => filling.keepArtifacts(order),
    living: (life) => (env) =>
      startProgram('remote-life', { args: [JSON.stringify({ world: setting, life })], env }),
    leftovers: () => [...placesIn(there), ...worktreesBelow(root, setting.state)],
  };
}

/** Of all runs there. */
function placesIn(there: string): string[] {
  return namesBelow(there, 1).flatMap((name) => namesBelow(join(there, name, 'worktrees'), 2));
}

function worktreesBelow(root: string, folder: string): string[] {
  const lines = shell(root, 'worktree', 'list', '--porcelain').split('\n');
  return lines.filter((line) => line.startsWith(`worktree ${folder}/`));
}

/** What such a place cannot have. */
export const cannotElsewhere = {
  slots: 'a slot is made usable once for many tasks, on this machine',
  ports: 'which ports are free elsewhere, nobody here can promise',
  caches: 'a cache is shared by the places of this machine',
  artifacts: 'they are kept in, and laid out from, a folder of this machine',
  kills: 'tested with what such a place can have, in remote-kills.test.ts',
};
