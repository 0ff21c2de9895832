import type { AgentVariables } from '../agents/index.ts';
import type { RunState } from '../kernel/index.ts';
import type { InheritEnv } from '../model/index.ts';
import { baseEnvironment } from './base-environment.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Never, whatever is asked for: what git tells a hook (a task that had it would commit there), and what only Piton is told. */
const never: ReadonlySet<string> = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_QUARANTINE_PATH',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'PITON_TRUST',
]);

interface Inheriting {
  /** As the task, or the work beside it, says it. */
  readonly inheritEnv?: InheritEnv;
}

/** What a task is given beyond the base. True: everything, as runs of older versions are: what they began with they go on with. */
export function inheritedBy(
  { environment }: Pick<RunState, 'environment'>,
  { inheritEnv = [] }: Inheriting,
  ofProject: InheritEnv,
): InheritEnv {
  if (environment !== 'base' || inheritEnv === true || ofProject === true) return true;
  return [...inheritEnv, ...ofProject];
}

export interface Giving {
  readonly environment: Environment;
  /** What is asked for beyond the base. */
  readonly inherited: InheritEnv;
  /** Names of all secrets: what is somebody's secret is not given as a part of the base. */
  readonly secrets: readonly string[];
}

/** The part of Piton's environment that a task is given. */
export function takenFrom({ environment, inherited, secrets }: Giving): Record<string, string> {
  const isOfBase = matcherOf(baseEnvironment);
  const isAskedFor = inherited === true ? () => true : matcherOf(inherited);
  const isGiven = (name: string): boolean =>
    !never.has(name) && (isAskedFor(name) || (isOfBase(name) && !secrets.includes(name)));
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && isGiven(entry[0]),
    ),
  );
}

/** Whether a name is one of these; `AWS_*` are all that begin so. */
function matcherOf(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns);
  const beginnings = patterns
    .filter((pattern) => pattern.endsWith('*'))
    .map((pattern) => pattern.slice(0, -1));
  return (name) => names.has(name) || beginnings.some((beginning) => name.startsWith(beginning));
}

/** Its own login and settings: what the agent itself reads. Those of a cloud only where it was told to use that. */
export function variablesOfAgent({ always, when = {} }: AgentVariables, environment: Environment): string[] {
  const switched = Object.entries(when).filter(([condition]) => holds(condition, environment));
  return [...always, ...switched.flatMap(([, names]) => names)];
}

/** `NAME`: it is set, and not to no; `NAME=value`: to that. */
function holds(condition: string, environment: Environment): boolean {
  const [name = '', wanted] = condition.split('=');
  const value = environment[name] ?? '';
  return wanted === undefined ? !['', '0', 'false'].includes(value) : value === wanted;
}

/** Shorter ones are mostly stand-ins for a server that asks for none, such as `dummy`. */
const shortestLogin = 8;

/** Which of an agent's variables hold what must not be shown, by what such variables are called. */
export function loginNames(agent: AgentVariables, environment: Environment): string[] {
  const isOfAgent = matcherOf(variablesOfAgent(agent, environment));
  return Object.entries(environment)
    .filter(([name, value = '']) => isOfAgent(name) && isLogin(name) && value.length >= shortestLogin)
    .map(([name]) => name);
}

/** Not counts of tokens, and not paths. */
function isLogin(name: string): boolean {
  return /(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/.test(name) && !name.endsWith('APPLICATION_CREDENTIALS');
}
