import { existsSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { PitonError } from '../../base/index.ts';

/**
 * Where the command was typed. A worktree is removed when its work is merged, and a person who resolved a conflict may still be in
 * it: then it is the nearest folder above that is left, from which the project is found as from the worktree.
 */
export function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    const folder = nearestLeft(process.env['PWD'] ?? '');
    process.chdir(folder);
    return folder;
  }
}

function nearestLeft(path: string): string {
  if (!isAbsolute(path)) throw folderGone();
  return existsSync(path) ? path : nearestLeft(dirname(path));
}

function folderGone(): PitonError {
  return new PitonError('NO_PROJECT', 'The folder that you are in was removed.', {
    remedy: 'Go to the folder of your project: cd <folder>.',
  });
}
