import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasCode } from '../../base/index.ts';
import type { Place, Recovery } from '../contract.ts';
import { markOf } from './layout.ts';
import type { Resolved } from './ports.ts';

/**
 * What `prepare` has to tell besides the place. Killed before that is recorded, it has to tell it again: so it is written down here
 * until something is started in the place, which nobody does before it is recorded.
 */
export function writeNews(options: Resolved, place: Place, recovered: Recovery): void {
  const file = fileOf(options, place);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.draft`, JSON.stringify(recovered));
  renameSync(`${file}.draft`, file);
}

export function readNews(options: Resolved, place: Place): Recovery | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(options, place), 'utf8')) as Recovery;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

export function hearNews(options: Resolved, place: Place): void {
  rmSync(fileOf(options, place), { force: true });
}

/** Beside the folders of runs: no run is called like this. */
function fileOf({ folder }: Resolved, place: Place): string {
  return join(folder, '.news', `${markOf(place)}.json`);
}
