import type { Cleaned, Recovery } from '../contract.ts';
import { addWorktree, tidyRecord, type Git, type MarkerNotes, type WorktreePlace } from '../git/index.ts';
import { asNews, newsIn, type News } from './news.ts';
import { resetSlot } from './reset-slot.ts';
import type { Sight } from './sight.ts';
import type { Source } from './sources.ts';
import { slotOf, type WorktreePlaceRecord } from './standing.ts';

/** Its place, made or found again, and what is to be told about it. */
export interface Placed {
  readonly place: WorktreePlaceRecord;
  readonly news: News;
}

export interface Making {
  readonly source: Source;
  readonly recovered?: Recovery;
  /** Of persons, that are carried out by this. */
  readonly orders?: readonly string[];
  /** Of a slot: who had it before. */
  readonly former?: Former;
}

export interface Former {
  readonly task: string;
  readonly branch: string;
  readonly cleaned: Cleaned;
}

/** For the marker of a slot that has changed hands. */
export function handOver({ task, branch, cleaned }: Former, recovered?: Recovery): MarkerNotes {
  const news = { handedOver: { task, cleaned }, ...(recovered !== undefined && { recovered }) };
  return { former: { task, branch }, ...asNews(news) };
}

/** Makes it from its source, or finishes what a killed try has left of it. */
export async function make(git: Git, sight: Sight, making: Making): Promise<Placed> {
  const { request, place, refs } = sight;
  const { source, recovered, orders, former } = making;
  const slot = slotOf(request);
  const notes = {
    ...(slot !== undefined && { slot }),
    ...(orders !== undefined && { orders }),
    ...(former === undefined
      ? asNews(recovered === undefined ? {} : { recovered })
      : handOver(former, recovered)),
  };
  const { run, task, repository } = request;
  const { path, branch, base, token } = place;
  const order = { run, task, token, path, branch, base, repository, refs, start: source.start, notes };
  const fill = slot === undefined ? source.fill : fillSlot(git, sight, source);
  const added = await addWorktree(git, fill === undefined ? order : { ...order, fill });
  const marker = await tidyRecord(added.gitDir);
  return { place: { ...place, path: added.path, base: marker?.base ?? base }, news: newsIn(marker) };
}

/** A slot may still hold what its former owner has left. */
function fillSlot(git: Git, { place, request }: Sight, { start, fill }: Source) {
  return async (worktree: WorktreePlace): Promise<void> => {
    await resetSlot(git, worktree, { run: request.run, branch: place.branch, start });
    await fill?.(worktree);
  };
}
