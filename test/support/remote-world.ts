/** Places on another machine that is this one, in a world that another process can open too: all of it is text. */
import { join } from 'node:path';
import { Git } from '../../src/workspaces/git/index.ts';
import type { RemoteMachine } from '../../src/model/index.ts';
import { RemoteWorkspaces } from '../../src/workspaces/remote/remote.ts';
import { plainEnvironment } from './git-orders.ts';
import { openLocal } from './local-places.ts';

export interface RemoteWorld {
  /** Where Piton keeps its own here. */
  readonly state: string;
  /** The folder of the run. */
  readonly folder: string;
  readonly machine: RemoteMachine;
}

export function openRemote({ state, folder, machine }: RemoteWorld): RemoteWorkspaces {
  const { places } = openLocal({ kind: 'worktree', state, folder });
  return new RemoteWorkspaces({
    git: new Git({ environment: plainEnvironment(), durability: 'process', staleLockMs: 50 }),
    machines: { box: machine },
    folder: join(state, 'remote'),
    caches: ['node_modules'],
    environment: plainEnvironment(),
    worktree: async () => places,
  });
}
