import type { IntegrateRequest, Integration, RepositoryOrigin } from '../contract.ts';
import { PitonError } from '../../base/index.ts';
import { bringHome, type Kept } from './keep.ts';
import type { RemotePlace } from './layout.ts';
import { mirrorRequest, updateMirror, updatePlace, type Placed } from './mirror.ts';
import { keepingOf, type Resolved } from './ports.ts';

type Order = IntegrateRequest & { readonly known: RemotePlace; readonly repository: RepositoryOrigin };

/**
 * Brings home what the task has left there, and hands it to worktrees here: all the rest is theirs. What they lay out (both sides
 * of a conflict, a merge that is to be checked) is laid out there too.
 */
export async function integrateRemote(options: Resolved, request: Order): Promise<Integration> {
  const kept = await broughtHome(options, request);
  if (kept.operation !== undefined) return unfinished(kept);
  await updateMirror(options, request, kept);
  const worktree = await options.worktree();
  // What was saved when the check had ended is what it has seen: what was made since is not checked.
  const mirrored = mirrorRequest(options, request, request.snapshot ?? kept.commit);
  const integration = await worktree.integrate({ ...mirrored, others: [] });
  if (integration.type === 'proposed' || integration.type === 'conflict')
    await updatePlace(options, request, { kept });
  return integration;
}

async function broughtHome(options: Resolved, request: Placed): Promise<Kept> {
  const kept = await bringHome(keepingOf(options, request, 'the result'));
  if (kept !== undefined) return kept;
  const { known, task } = request;
  throw new PitonError(
    'WORKSPACE_DRIFTED',
    `The place of ${task} is gone: ${known.path} on ${known.remote}.`,
    {
      path: known.path,
      remote: known.remote,
      remedy: '`piton retry` makes it again from what was last brought home.',
    },
  );
}

function unfinished({ operation, unmerged }: Kept): Integration {
  const report = `A ${operation} was begun in the worktree and not brought to its end. Finish or abort it.`;
  return { type: 'conflict', files: unmerged, report };
}
