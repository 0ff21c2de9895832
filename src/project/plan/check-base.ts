import { askGit, PitonError } from '../../base/index.ts';

/** Throws `BASE_UNKNOWN` if a run in that folder could not begin from there. Where git cannot tell, nothing is said. */
export function checkBase(base: string, folder: string): void {
  const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${base}^{commit}`];
  if (askGit(['rev-parse', '--git-dir'], folder) === undefined) return;
  if (askGit(args, folder) !== undefined) return;
  throw new PitonError('BASE_UNKNOWN', `There is no branch or commit ${base} to begin from.`, {
    base,
    remedy: 'Name one that is in this repository, after `base`.',
  });
}
