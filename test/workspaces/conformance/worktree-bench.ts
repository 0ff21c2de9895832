import { join } from 'node:path';
import { commit, playground, shell } from '../../support/git-playground.ts';
import {
  excludeIgnored,
  namesBelow,
  openLocal,
  placeRequest,
  plainFolder,
} from '../../support/local-places.ts';
import { startProgram } from '../../support/start-program.ts';
import type { PlaceBench } from './bench.ts';

/** `prefix`: the way from the top of the repository to the folder of the run. */
export function worktreeBench(prefix: string): PlaceBench {
  const { root, repository } = playground();
  excludeIgnored(repository.commonDir);
  const base = commit(root, { [join(prefix, 'start.txt')]: 'start\n' });
  const folder = join(root, prefix);
  plainFolder(folder);
  const world = { kind: 'worktree', state: join(folder, '.piton'), folder } as const;
  const origin = { ...repository, root, base, prefix };
  const { places, filling } = openLocal(world);
  return {
    folder,
    open: () => openLocal(world).places,
    request: (task, more) =>
      placeRequest({ folder, repository: origin, mode: { mode: 'worktree' } }, task, more),
    restore: (ref, target) => places.restore(origin, ref, target),
    keepArtifacts: (order) => filling.keepArtifacts(order),
    living: (life) => (env) => startProgram('place-life', { args: [JSON.stringify({ world, life })], env }),
    leftovers: () => [...namesBelow(join(world.state, 'worktrees'), 2), ...worktreesBelow(root, world.state)],
  };
}

function worktreesBelow(root: string, folder: string): string[] {
  const lines = shell(root, 'worktree', 'list', '--porcelain').split('\n');
  return lines.filter((line) => line.startsWith(`worktree ${folder}/`));
}
