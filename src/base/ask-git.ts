import { spawnSync } from 'node:child_process';
import { hasCode, PitonError } from './errors.ts';
import { withOwnPath } from './find-tool.ts';

const mostBytes = 4 * 1024 * 1024;

/** Under the configuration of a repository that nobody has trusted: what that names to be started is not. */
const settings = ['core.fsmonitor=false', 'core.hooksPath=/dev/null'].flatMap((setting) => ['-c', setting]);

/** What a partial clone lacks would be fetched by programs that its configuration names. */
const unconnected = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' };

/** They would lead it to another repository than the one of the folder. */
const leading = /^GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|NAMESPACE|OBJECT_DIRECTORY)$/;

/** Asks git about a folder, without executing anything of it. Undefined: it has no answer, or there is no git. Throws GIT_FAILED. */
export function askGit(args: readonly string[], cwd: string): string | undefined {
  const kept = Object.entries(process.env).filter(([name]) => !leading.test(name));
  const env = { ...withOwnPath(Object.fromEntries(kept)), ...unconnected };
  const options = { cwd, env, encoding: 'utf8', maxBuffer: mostBytes } as const;
  const { status, stdout, error } = spawnSync('git', [...settings, ...args], options);
  if (hasCode(error, 'ENOBUFS')) throw tooMuch(args, cwd);
  return status === 0 ? stdout : undefined;
}

/** Silence would be taken for no answer. */
function tooMuch(args: readonly string[], cwd: string): PitonError {
  return new PitonError(
    'GIT_FAILED',
    `\`git ${args[0]}\` in ${cwd} said more than anybody could look through.`,
    {
      folder: cwd,
      remedy: 'Look at its .git/config and at what that includes.',
    },
  );
}
