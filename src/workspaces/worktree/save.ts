import type { SaveRequest } from '../contract.ts';
import { readLink, readMarker, realPlace, savedRef, saveTree, type Git } from '../git/index.ts';
import { isOurs, refsOf, type WorktreeRequest } from './standing.ts';

/** undefined: the place is gone, or is not ours any more. */
export async function savePlace(
  git: Git,
  request: SaveRequest & WorktreeRequest,
): Promise<string | undefined> {
  const { run, task, known, attempt, seq, at, label, repository } = request;
  const link = await readLink(known.path);
  if (link.type !== 'linked' || link.isBare) return undefined;
  if (!isOurs(request, known.token, await readMarker(link.gitDir))) return undefined;
  const path = await realPlace(known.path);
  const worktree = { path, gitDir: link.gitDir, commonDir: repository.commonDir };
  const ref = savedRef(refsOf(request).branch);
  const { commit } = await saveTree(git, { worktree, ref, label, trailers: { run, task, attempt, seq }, at });
  return commit;
}
