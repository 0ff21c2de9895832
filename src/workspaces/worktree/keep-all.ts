import { PitonError, systemClock } from '../../base/index.ts';
import {
  archiveWorktree,
  proveKept,
  tidyRecord,
  writeMarker,
  type Archive,
  type ArchiveOrder,
  type Git,
  type NotKept,
  type WorktreePlace,
} from '../git/index.ts';

/** Archives a worktree, and looks whether it is true: `missing` says what would be lost all the same. */
export async function keepAll(
  git: Git,
  order: ArchiveOrder,
): Promise<{ readonly archive: Archive; readonly missing: string | undefined }> {
  const archive = await archiveWorktree(git, order);
  const { isKept, missing } = await proveKept(git, order);
  return { archive, missing: isKept ? undefined : textOf(missing) };
}

const mostNamed = 3;

function textOf(missing: readonly NotKept[]): string {
  return missing
    .slice(0, mostNamed)
    .map(({ what, why }) => `${what} (${why})`)
    .join(', ');
}

/** The time that names the archive of what has to make room: noted first, so that doing it again makes the same. */
export async function beginToLeave(git: Git, { gitDir }: WorktreePlace): Promise<number> {
  const marker = (await tidyRecord(gitDir))!;
  if (marker.leftAt !== undefined) return marker.leftAt;
  const leftAt = systemClock.now();
  await writeMarker(git, gitDir, { ...marker, leftAt });
  return leftAt;
}

export function cannotLeave(path: string, why: string): PitonError {
  return new PitonError('WORKSPACE_DRIFTED', `${path} cannot make room: ${why}.`, {
    path,
    remedy: 'Look at it, move away what is worth keeping, then `piton retry`.',
  });
}
