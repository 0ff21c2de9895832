import { accessSync, constants } from 'node:fs';
import { isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

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

/**
 * For what Piton starts for itself (git, ssh, ps): a PATH without the folders that a project brings with it, which are those that
 * depend on where one is, and those that npm puts first. A repository, or an agent in its worktree, could have a `git` there.
 */
export function withOwnPath(env: Environment): Record<string, string | undefined> {
  const folders = (env['PATH'] ?? '').split(':').filter((folder) => isAbsolute(folder));
  const own = folders.filter((folder) => !/\/node_modules(\/|$)/.test(folder));
  return { ...env, PATH: own.length === 0 ? '/usr/local/bin:/usr/bin:/bin' : own.join(':') };
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
