import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PitonError } from '../base/index.ts';
import type { Surroundings } from './config.ts';

/** The project around a folder: the nearest one upwards that has `.piton`, else the folder itself. */
export function findRoot({ directory, flags }: Surroundings): { root: string; isProject: boolean } {
  const start = resolve(directory, flags.root ?? '.');
  if (!isFolder(start)) throw noFolder(start);
  // A folder that was named is meant: nothing above it is looked at.
  const root = flags.root === undefined ? nearestProject(start) : start;
  return { root: root ?? start, isProject: root !== undefined && isFolder(join(root, '.piton')) };
}

function nearestProject(folder: string): string | undefined {
  if (isFolder(join(folder, '.piton'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : nearestProject(parent);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function noFolder(folder: string): PitonError {
  return new PitonError('CONFIG_INVALID', `There is no folder ${folder}.`, {
    folder,
    remedy: 'Name a folder that exists after --root.',
  });
}
