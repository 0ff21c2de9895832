import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { askGit, isInside, PitonError, shellWord } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';

/**
 * State of this machine that git would bring from elsewhere: a journal, its log, the record of how a command ended. A pull could
 * change it under a project that is trusted. Throws `STATE_TRACKED`.
 */
export function refuseTrackedState({ root, storeFile, spool, logs }: Config): void {
  // Beside a store lie its log, and the index of that.
  const store = storeFile === undefined ? [] : [storeFile, `${storeFile}-wal`, `${storeFile}-shm`];
  const states = [...store, spool, logs].map((path) => relative(root, path)).filter(isInside);
  const tracked = [...Map.groupBy(states, dirname)].flatMap(([folder, paths]) =>
    trackedFiles(
      join(root, folder),
      paths.map((path) => basename(path)),
    ).map((name) => join(folder, name)),
  );
  if (tracked.length === 0) return;
  const others = tracked.length === 1 ? '' : ` and ${tracked.length - 1} other files of Piton's state`;
  throw new PitonError(
    'STATE_TRACKED',
    `git keeps ${tracked[0]}${others} in ${root}: what came with a repository is not gone on with.`,
    {
      root,
      files: tracked.slice(0, 100),
      remedy: `Take it out of git, and out of the way if it is not yours: ${removing(root, tracked[0]!, states)}`,
    },
  );
}

function removing(root: string, first: string, states: readonly string[]): string {
  const folder = join(root, dirname(first));
  const names = states
    .filter((path) => dirname(path) === dirname(first))
    .map((path) => shellWord(basename(path)));
  return `git -C ${shellWord(folder)} rm -rq --cached --ignore-unmatch ${names.join(' ')}`;
}

/** Asked where they lie, which may be a repository of its own. None where git is missing or knows nothing of the folder. */
function trackedFiles(folder: string, names: readonly string[]): string[] {
  if (!existsSync(folder)) return [];
  const listed = askGit(['--literal-pathspecs', 'ls-files', '-z', '--', ...names], folder) ?? '';
  return listed.split('\0').filter((file) => file !== '');
}
