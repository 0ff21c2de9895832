import { agentNamed, loginSigns, type Agent } from '../../agents/index.ts';
import type { AgentWork } from '../../model/index.ts';
import { remedyFor } from '../agents/agent-view.ts';
import type { Lack } from './finding.ts';
import { searchPathOf } from './programs.ts';
import type { CheckedTask } from './checked-task.ts';

/** Agents of a task that are not installed, and whether the one that would be taken looks logged in. */
export function checkAgents(checked: CheckedTask): Lack[] {
  const { work } = checked.task.spec;
  if (work.type !== 'agent') return [];
  const agents = work.agents.map((name) => agentNamed(name));
  const there = agents.find((agent) => isThere(checked, work, agent));
  if (there === undefined) return [noneOf(checked, work, agents)];
  return [
    ...(there === agents[0] ? [] : [replaced(checked, agents[0]!, there)]),
    ...checkLogin(checked, work, there),
  ];
}

function isThere(checked: CheckedTask, work: AgentWork, agent: Agent): boolean {
  const program = programOf(checked, work, agent);
  const place = { folder: checked.folder, searchPath: searchPathOf(work.env, checked.env) };
  return program === undefined || ['there', 'unknown'].includes(checked.programs.find(program, place));
}

/** Undefined: it is not known before the task begins. */
function programOf(
  { config }: CheckedTask,
  { args }: AgentWork,
  { name, executable }: Agent,
): string | undefined {
  const set = config.agents[name]?.executable;
  if (set !== undefined || executable !== '') return set ?? executable;
  const [first] = Array.isArray(args)
    ? (args as readonly string[])
    : ((args as Readonly<Record<string, readonly string[]>>)[name] ?? []);
  return first === undefined || first.includes('${{') ? undefined : first;
}

function noneOf(checked: CheckedTask, work: AgentWork, agents: readonly Agent[]): Lack {
  const { task } = checked;
  const programs = agents.map((agent) => programOf(checked, work, agent)!);
  const isCertain = !task.isOptional() && !mayBeInstalled(checked, programs);
  const [first] = agents as readonly [Agent];
  const message =
    agents.length === 1
      ? `${first.title} is not installed: there is no \`${programs[0]}\` on the PATH.`
      : `None of its agents is installed: there is no \`${programs.join('` and no `')}\` on the PATH.`;
  const remedy =
    first.executable === '' ? 'Correct its `args`, or install that program.' : sentence(remedyFor(first));
  return {
    level: isCertain ? 'error' : 'warning',
    kind: 'agent',
    task: task.path,
    key: 'agent',
    message,
    remedy,
  };
}

function mayBeInstalled({ task }: CheckedTask, programs: readonly string[]): boolean {
  return programs.some((program) => task.mayBeBrought({ program }));
}

function replaced({ task }: CheckedTask, wanted: Agent, there: Agent): Lack {
  const message = `${wanted.title} is not installed; ${there.title} will be used instead.`;
  return {
    level: 'warning',
    kind: 'agent',
    task: task.path,
    key: 'agent',
    message,
    remedy: sentence(remedyFor(wanted)),
  };
}

/** Only suspicious: a login may be kept where nobody can look without using it. */
function checkLogin({ task, env }: CheckedTask, work: AgentWork, agent: Agent): Lack[] {
  const signs = loginSigns(agent.name, { ...env, ...work.env });
  if (signs === undefined || signs.isFound) return [];
  const message = `${agent.title} does not seem to be logged in: there is neither ${signs.lookedFor.join(' nor ')}.`;
  const remedy = `Log in with: ${agent.login}`;
  return [{ level: 'warning', kind: 'login', task: task.path, key: 'agent', message, remedy }];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
