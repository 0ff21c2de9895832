import { basename, dirname, join } from 'node:path';
import { deleteTree, livenessOf, systemClock } from '../../base/index.ts';
import type { Cleaned } from '../contract.ts';
import type { Recorded, Stray } from '../upkeep-contract.ts';
import { findEntry, namesIn } from '../files.ts';
import { archiveFolder, type ArchiveTools } from './archive.ts';
import { isMarkerName, readMarker, removeMarker, type Marker } from './marker.ts';

/** `<path>.draft-<token>`: half of a copy; `<path>.removed-<token>`: all of it is elsewhere. */
const rest = /\.(draft|removed)-[^/]*$/;

/** Folders of ours that no record explains, and that nobody is about to record. */
export async function findStrays(folder: string, { places }: Recorded): Promise<Stray[]> {
  const explained = new Set(places.map(({ path }) => path));
  const strays: Stray[] = [];
  for (const run of await namesIn(folder)) {
    if ((await findEntry(join(folder, run)))?.isDirectory() !== true) continue;
    for (const name of await namesIn(join(folder, run))) {
      const path = join(folder, run, name);
      if (isMarkerName(name) || explained.has(path.replace(rest, ''))) continue;
      const marker = await readMarker(path.replace(rest, ''));
      if (marker === undefined || !isBeingMade(marker)) strays.push(strayAt(path, marker));
    }
  }
  return strays;
}

function isBeingMade({ maker }: Marker): boolean {
  return ['alive', 'stopped'].includes(livenessOf(maker));
}

function strayAt(name: string, marker: Marker | undefined): Stray {
  if (marker === undefined) return { kind: 'folder', name, text: 'bears no mark of Piton' };
  const { run, task } = marker;
  return { kind: 'folder', name, run, task, text: `of ${task} of run ${run}, which has no record of it` };
}

export async function cleanStrayFolder(tools: ArchiveTools, { name: path }: Stray): Promise<Cleaned> {
  const marker = await readMarker(path);
  if (await holdsNothing(path)) {
    await deleteTree(path);
    await removeMarker(path);
    return { how: 'removed', reason: 'it held nothing' };
  }
  const { run, task, token } = marker ?? { run: basename(dirname(path)), task: basename(path), token: '' };
  const ref = await archiveFolder(tools, { run, task, token, at: systemClock.now(), path });
  await removeMarker(path);
  return { how: 'archived', reason: 'no record explains it', ref };
}

async function holdsNothing(path: string): Promise<boolean> {
  if (rest.test(path)) return true;
  const found = await findEntry(path);
  return found === undefined || (found.isDirectory() && (await namesIn(path)).length === 0);
}
