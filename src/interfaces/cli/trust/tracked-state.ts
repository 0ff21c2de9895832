import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';
import { PitonError } from '../../../base/index.ts';
import type { Config } from '../../../config/index.ts';
import { shellWord } from '../progress/index.ts';

/**
 * State of this machine that git would bring from elsewhere: a journal, its log, the record of how a command ended. A pull could
 * change it under a project that is trusted. Throws `STATE_TRACKED`.
 */
export function refuseTrackedState({ root, storeFile, spool, logs }: Config): void {
  // Beside a store lie its log, and the index of that.
  const store = storeFile === undefined ? [] : [storeFile, `${storeFile}-wal`, `${storeFile}-shm`];
  const states = [...store, spool, logs]
    .map((path) => relative(root, path))
    .filter((path) => !path.startsWith('..'));
  const tracked = trackedFiles(root, states);
  if (tracked.length === 0) return;
  const others = tracked.length === 1 ? '' : ` and ${tracked.length - 1} other files of Piton's state`;
  throw new PitonError(
    'STATE_TRACKED',
    `git keeps ${tracked[0]}${others} in ${root}: what came with a repository is not gone on with.`,
    {
      root,
      files: tracked.slice(0, 100),
      remedy: `Take it out of git, and out of the way if it is not yours: git -C ${shellWord(root)} rm -rq --cached --ignore-unmatch ${states.map(shellWord).join(' ')}`,
    },
  );
}

/** None where git is missing or knows nothing of the folder: then nothing has come by it. */
function trackedFiles(root: string, states: readonly string[]): string[] {
  // Nothing that a repository configures may run for this.
  const args = ['--literal-pathspecs', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
  const { status, stdout } = spawnSync('git', [...args, 'ls-files', '-z', '--', ...states], {
    cwd: root,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.split('\0').filter((file) => file !== '') : [];
}
