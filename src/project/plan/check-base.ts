import { askGit, PitonError } from '../../base/index.ts';

/** Throws `BASE_UNKNOWN` if a run in that folder could not begin from there. Where git cannot tell, nothing is said. */
export function checkBase(base: string, folder: string): void {
  if (askGit(['rev-parse', '--git-dir'], folder) === undefined || !isBaseMissing(base, folder)) return;
  const { message, remedy } = baseMissing(base);
  throw new PitonError('BASE_UNKNOWN', message, { base, remedy });
}

/** In a folder of a repository. */
export function isBaseMissing(base: string, folder: string): boolean {
  const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${base}^{commit}`];
  return askGit(args, folder) === undefined;
}

export function baseMissing(base: string): { readonly message: string; readonly remedy: string } {
  return {
    message: `There is no branch or commit ${base} to begin from.`,
    remedy: 'Name one that is in this repository, after `base`.',
  };
}
