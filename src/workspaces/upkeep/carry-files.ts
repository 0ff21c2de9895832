import { PitonError } from '../../base/index.ts';
import type { RepositoryOrigin } from '../contract.ts';
import {
  hasObjects,
  isRefOfRun,
  refsOfRun,
  restoreRefs,
  unpackBundle,
  writeBundle,
  type Git,
} from '../git/index.ts';
import type { Bundled, BundleRequest, FileCare, RefsRequest, UnpackRequest } from '../upkeep-contract.ts';

export function makeFileCare(git: Git): FileCare {
  return Object.freeze({
    bundle: (repository, order) => bundle(git, repository, order),
    unpack: (repository, order) => unpack(git, repository, order),
    restoreRefs: (repository, order) => restore(git, repository, order),
  } satisfies FileCare);
}

async function bundle(
  git: Git,
  repository: RepositoryOrigin,
  { run, file, base }: BundleRequest,
): Promise<Bundled> {
  const refs = await refsOfRun(git, repository, run);
  const without = base === undefined ? [] : [base];
  return {
    refs: Object.fromEntries([...refs].sort(([a], [b]) => (a < b ? -1 : 1))),
    isWritten: await writeBundle(git, repository, { refs, file, without }),
  };
}

async function unpack(
  git: Git,
  repository: RepositoryOrigin,
  { run, refs, file, base }: UnpackRequest,
): Promise<boolean> {
  assertOfRun(run, refs);
  if (base !== undefined && !(await hasObjects(git, repository, [base]))) return false;
  if (file !== undefined) await unpackBundle(git, repository, file);
  if (await hasObjects(git, repository, Object.values(refs))) return true;
  throw new PitonError('GIT_FAILED', 'What a ref of the run points to is missing.', { run, reason: 'other' });
}

async function restore(git: Git, repository: RepositoryOrigin, { run, refs }: RefsRequest) {
  assertOfRun(run, refs);
  return restoreRefs(git, repository, new Map(Object.entries(refs)));
}

/** They come from a file that anybody may have made. */
function assertOfRun(run: string, refs: RefsRequest['refs']): void {
  const foreign = Object.keys(refs).find((ref) => !isRefOfRun(ref, run));
  if (foreign !== undefined) throw notOfRun(foreign, run);
}

function notOfRun(ref: string, run: string): PitonError {
  return new PitonError(
    'REF_NOT_OURS',
    `${JSON.stringify(ref)} is no ref of run ${run}, so it is not made.`,
    {
      ref,
      remedy: 'No export of Piton has such a ref: see where the file came from.',
    },
  );
}
