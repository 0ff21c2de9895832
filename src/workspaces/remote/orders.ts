import { effect } from '../../base/index.ts';
import type { Prepared } from '../contract.ts';
import { bringHome } from './keep.ts';
import type { RemotePlace } from './layout.ts';
import { mirrorRequest, updateMirror, updatePlace, type Placed } from './mirror.ts';
import { keepingOf, type Resolved } from './ports.ts';

/**
 * Does what a person wants done with a place, once for each id: in the mirror, as with any worktree, where all that is there is
 * archived first; then what came of it is laid out there.
 */
export async function carryOut(
  options: Resolved,
  request: Placed,
  lastDone: string | undefined,
): Promise<(Prepared & { readonly place: RemotePlace }) | undefined> {
  const { order, known } = request;
  if (order === undefined || order.id === lastDone) return undefined;
  const kept = await bringHome(keepingOf(options, request, `before: ${order.action}`));
  if (kept === undefined) return undefined;
  await updateMirror(options, request, kept);
  return effect('remote.order', async () => {
    const mirror = { ...mirrorRequest(options, request, kept.commit), order };
    const { place, recovered } = await (await options.worktree()).prepare(mirror);
    const changed = { ...known, base: place.base ?? known.base };
    await updatePlace(options, { ...request, known: changed }, { kept, order: order.id });
    return { place: changed, ...(recovered !== undefined && { recovered }) };
  });
}
