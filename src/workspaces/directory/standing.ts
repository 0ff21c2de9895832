import { dirname } from 'node:path';
import type { Place } from '../contract.ts';
import { assertNoLink, findEntry } from '../files.ts';
import { identityOf, readMarker, type Marker } from './marker.ts';

/** What is at the path of a place. */
export type Standing =
  /** `marker`: of what was there last. */
  | { readonly type: 'absent'; readonly marker: Marker | undefined }
  | { readonly type: 'ours'; readonly marker: Marker }
  /** A whole place of another task. */
  | { readonly type: 'other'; readonly marker: Marker; readonly why: string }
  /** Not what we made. `isFolder`: it could be taken for the place nevertheless. */
  | { readonly type: 'foreign'; readonly why: string; readonly isFolder: boolean };

export async function standingOf({ path, token }: Pick<Place, 'path' | 'token'>): Promise<Standing> {
  await assertNoLink(dirname(path));
  const [entry, marker] = [await findEntry(path), await readMarker(path)];
  if (entry === undefined) return { type: 'absent', marker };
  if (!entry.isDirectory()) return { type: 'foreign', why: 'is not a folder', isFolder: false };
  if (marker === undefined) {
    return { type: 'foreign', why: 'does not bear the mark of Piton', isFolder: true };
  }
  if (marker.identity !== (await identityOf(path))) {
    return { type: 'foreign', why: 'is not the folder that Piton made there', isFolder: true };
  }
  if (marker.token === token) return { type: 'ours', marker };
  return { type: 'other', marker, why: `belongs to ${marker.task} of run ${marker.run}` };
}
