import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { PlaceMode } from '../../../src/workspaces/index.ts';
import { namesBelow, openLocal, placeRequest, plainFolder } from '../../support/local-places.ts';
import { startProgram } from '../../support/start-program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { PlaceBench } from './bench.ts';

export function directoryBench(mode: PlaceMode): PlaceBench {
  const top = realpathSync(temporaryFolder());
  const world = {
    kind: 'directory',
    state: join(top, 'project', '.piton'),
    folder: join(top, 'project'),
  } as const;
  const { folder, state } = world;
  plainFolder(folder);
  const { places, filling } = openLocal(world);
  return {
    folder,
    open: () => openLocal(world).places,
    request: (task, more) => placeRequest({ folder, mode }, task, more),
    restore: (ref, target) => places.restore(undefined, ref, target),
    keepArtifacts: (order) => filling.keepArtifacts(order),
    living: (life) => (env) => startProgram('place-life', { args: [JSON.stringify({ world, life })], env }),
    leftovers: () => namesBelow(join(state, 'directories'), 2),
  };
}

/** What such a place cannot have. */
export const cannotWithoutGit = { save: 'without git there is nothing to keep the files in' };
