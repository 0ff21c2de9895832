import { spawnSync } from 'node:child_process';
import { PitonError } from '../../../base/index.ts';

/** Throws `BASE_UNKNOWN` if a run in that folder could not begin from there. Where git cannot tell, nothing is said. */
export function checkBase(base: string, folder: string): void {
  const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${base}^{commit}`];
  // What a partial clone lacks would be fetched by programs that its configuration names.
  const options = {
    cwd: folder,
    env: { ...process.env, GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' },
  };
  if (spawnSync('git', ['rev-parse', '--git-dir'], options).status !== 0) return;
  if (spawnSync('git', args, options).status === 0) return;
  throw new PitonError('BASE_UNKNOWN', `There is no branch or commit ${base} to begin from.`, {
    base,
    remedy: 'Name one that is in this repository, after `base`.',
  });
}
