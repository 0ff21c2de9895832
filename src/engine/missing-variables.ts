import type { Failure } from '../model/index.ts';
import type { KeepingAttempts } from '../spool/index.ts';
import { takenFrom, type Environment } from './task-environment.ts';

interface Ports {
  readonly spool: KeepingAttempts;
  readonly environment: Environment;
}

/** Shells set these themselves. */
const ofShells: ReadonlySet<string> = new Set(['PWD', 'OLDPWD', 'SHLVL', '_']);

/** A failure that may come from what the task was not given of the environment says so, and how it is asked for. */
export async function withMissingVariables(
  failure: Failure,
  { spool, environment }: Ports,
  attempt: string,
): Promise<Failure> {
  const { inherited = true, secrets = [], argv = [] } = (await spool.describe(attempt)) ?? {};
  if (inherited === true) return failure;
  const given = takenFrom({ environment, inherited: [...inherited, ...secrets], secrets: [] });
  const words = new Set([...namesIn(failure.message), ...usedBy(argv)]);
  const missing = [...words].filter(
    (word) => environment[word] !== undefined && given[word] === undefined && !ofShells.has(word),
  );
  const hint = hintOf(missing.slice(0, 3), failure);
  return hint === undefined ? failure : { ...failure, message: `${failure.message}\n[${hint}]` };
}

/** Whatever it says may be the name of a variable. To reach the agent of ssh takes one that nobody names. */
function namesIn(message: string): readonly string[] {
  const names = message.match(/[A-Za-z_]\w{2,}/g) ?? [];
  return /\(publickey|authentication agent/i.test(message) ? [...names, 'SSH_AUTH_SOCK'] : names;
}

/** As shells write it: what is only empty there may fail without a word. What it sets itself is not missing. */
function usedBy(argv: readonly string[]): readonly string[] {
  const text = argv.join('\n');
  const own = new Set([...text.matchAll(/\b(\w+)=|\b(?:for|read)\s+(\w+)/g)].map(([, a, b]) => a ?? b));
  return [...text.matchAll(/\$\{?([A-Za-z_]\w{2,})/g)].flatMap(([, name]) => (own.has(name) ? [] : [name!]));
}

function hintOf(missing: readonly string[], { exit }: Failure): string | undefined {
  if (missing.length > 0) {
    const [are, were] = missing.length === 1 ? ['is', 'was'] : ['are', 'were'];
    return `${missing.join(', ')} ${are} in your environment and ${were} not given to this task: name what it needs in inherit-env, or in secrets`;
  }
  return exit === 127
    ? 'a task is given a base of your environment only; what else it needs is named in inherit-env'
    : undefined;
}
