import { spawnSync } from 'node:child_process';
import { withOwnPath } from './find-tool.ts';

/** Under the configuration of a repository that nobody has trusted: what that names to be started is not. */
const settings = ['core.fsmonitor=false', 'core.hooksPath=/dev/null'].flatMap((setting) => ['-c', setting]);

/** What a partial clone lacks would be fetched by programs that its configuration names. */
const unconnected = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' };

/** They would lead it to another repository than the one of the folder. */
const leading = /^GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|NAMESPACE|OBJECT_DIRECTORY)$/;

/** Asks git about a folder, without executing anything of it. Undefined: it has no answer, or there is no git. */
export function askGit(args: readonly string[], cwd: string): string | undefined {
  const kept = Object.entries(process.env).filter(([name]) => !leading.test(name));
  const env = { ...withOwnPath(Object.fromEntries(kept)), ...unconnected };
  const { status, stdout } = spawnSync('git', [...settings, ...args], { cwd, env, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}
