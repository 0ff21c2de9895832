import type { SaveRequest } from '../contract.ts';
import { keepPlainObjects, readLink, tidyRecord, ownPlace, saveTree, type Git } from '../git/index.ts';
import { isOurs, refsOf, type WorktreeRequest } from './standing.ts';

/** undefined: the place is gone, half made, or not ours any more. */
export async function savePlace(
  git: Git,
  request: SaveRequest & WorktreeRequest,
): Promise<string | undefined> {
  const { run, task, known, attempt, seq, at, label, repository } = request;
  const link = await readLink(known.path);
  if (link.type !== 'linked' || link.isBare) return undefined;
  const marker = await tidyRecord(link.gitDir);
  if (marker?.isReady !== true || !isOurs(request, known.token, marker)) return undefined;
  await keepPlainObjects(repository);
  const path = await ownPlace(known.path);
  const worktree = { path, gitDir: link.gitDir, commonDir: repository.commonDir };
  const { saved: ref } = refsOf(request);
  const { commit } = await saveTree(git, { worktree, ref, label, trailers: { run, task, attempt, seq }, at });
  return commit;
}
