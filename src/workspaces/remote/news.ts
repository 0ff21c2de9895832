import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../base/index.ts';
import type { Place, Recovery } from '../contract.ts';
import { writeWhole } from '../files.ts';
import { markOf } from './layout.ts';
import type { Resolved } from './ports.ts';

/**
 * What `prepare` has to tell besides the place. Killed before that is recorded, it has to tell it again: so it is written down here
 * until something is started in the place, which nobody does before it is recorded.
 */
export async function writeNews(options: Resolved, place: Place, recovered: Recovery): Promise<void> {
  await writeWhole(fileOf(options, place), JSON.stringify(recovered), options.git.durability);
}

export async function readNews(options: Resolved, place: Place): Promise<Recovery | undefined> {
  try {
    return JSON.parse(await readFile(fileOf(options, place), 'utf8')) as Recovery;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

export async function hearNews(options: Resolved, place: Place): Promise<void> {
  await rm(fileOf(options, place), { force: true });
}

/** Beside the folders of runs: no run is called like this. */
function fileOf({ folder }: Resolved, place: Place): string {
  return join(folder, '.news', `${markOf(place)}.json`);
}
