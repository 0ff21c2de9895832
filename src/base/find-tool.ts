import { accessSync, constants } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/**
 * A program of the system: where these lie first, since a PATH may lead elsewhere; never by a folder that is relative to a project, and
 * never what a project has installed for itself: `npx` puts that before all others.
 */
export function findTool(name: string, searchPath = ''): string | undefined {
  const folders = ['/bin', '/usr/bin', '/usr/local/bin', ...searchPath.split(':')];
  return folders
    .filter((folder) => isAbsolute(folder) && !folder.split('/').includes('node_modules'))
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
