import type { RepositoryOrigin } from '../contract.ts';
import type { Git } from '../git/index.ts';
import { thereOf, type RemotePlace } from './layout.ts';
import { addressOf } from './machine.ts';
import type { Line } from './ssh.ts';
import { transfer } from './transfer.ts';

export interface Way {
  readonly line: Line;
  readonly place: RemotePlace;
  readonly repository: Pick<RepositoryOrigin, 'commonDir'>;
}

/** Brings commits there, each under a ref of its own that keeps it. */
export async function pushCommits(git: Git, way: Way, commits: readonly string[]): Promise<void> {
  const { line, place, repository } = way;
  const there = addressOf(line.machine, thereOf(place).repository);
  const specs = [...new Set(commits)].map((commit) => `${commit}:refs/piton/begin/${commit}`);
  const args = ['push', '--quiet', '--no-verify', '--force', '--no-recurse-submodules', there, ...specs];
  await transfer(git, line, { args, commonDir: repository.commonDir, effect: 'remote-pushed' });
}
