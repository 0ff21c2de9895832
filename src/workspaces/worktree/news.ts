import { isPlainObject, type Json } from '../../base/index.ts';
import type { Place, Prepared } from '../contract.ts';
import { readLink, tidyRecord, writeMarker, type Git, type Marker } from '../git/index.ts';

/**
 * What `prepare` has to tell besides the place. Killed before that is recorded, it has to tell it again; so it stands in the
 * marker, until something is started in the place, which nobody does before it is recorded.
 */
export type News = Pick<Prepared, 'recovered' | 'handedOver'>;

export function newsIn(marker: Marker | undefined): News {
  const { news } = marker ?? {};
  return isPlainObject(news) ? (news as News) : {};
}

export function asNews(news: News): { readonly news?: Json } {
  return Object.keys(news).length === 0 ? {} : { news: news as unknown as Json };
}

export async function hearNews(git: Git, { path, token }: Place): Promise<void> {
  const link = await readLink(path);
  const marker = link.type === 'linked' ? await tidyRecord(link.gitDir) : undefined;
  if (link.type !== 'linked' || marker?.news === undefined || marker.token !== token) return;
  const { news: _, ...heard } = marker;
  await writeMarker(git, link.gitDir, heard);
}
