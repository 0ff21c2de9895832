import { PitonError } from '../base/index.ts';
import type { AgentWork } from '../model/index.ts';
import { addressOf, type AgentStart, type RunState, type TaskState } from './run-state.ts';
import type { World } from './world.ts';

/** The breaker of an agent is open while it is at its usage limit. */
export function agentResource(agent: string): string {
  return `agent:${agent}`;
}

/** The first by preference that is there and not at its limit. */
export function freeAgent(state: RunState, agents: readonly string[], world: World): string | undefined {
  return agents.find((name) => world.hasAgent(name) && limitOf(state, name, world.now) === undefined);
}

/** When the first of those that are there may be asked again, if all of them are at their limit. */
export function agentWait(
  state: RunState,
  { spec: { work } }: TaskState,
  world: World,
): { readonly until: number; readonly reason: string } | undefined {
  if (work.type !== 'agent' || freeAgent(state, work.agents, world) !== undefined) return undefined;
  const limits = work.agents.flatMap((name) => limitOf(state, name, world.now) ?? []);
  return limits.toSorted((a, b) => a.until - b.until)[0];
}

function limitOf(
  { breakers }: RunState,
  agent: string,
  now: number,
): { until: number; reason: string } | undefined {
  const open = breakers.get(agentResource(agent))?.open;
  return open !== undefined && open.until > now ? { until: open.until, reason: open.reason } : undefined;
}

/**
 * With which agent a task is tried, and in which conversation: its own if it has one, that of another task or a copy of
 * it if it is to, else a new one. Undefined: it is not done by an agent. Throws `SESSION_MISSING`.
 */
export function startOfAgent(state: RunState, task: TaskState, world: World): AgentStart | undefined {
  const { work } = task.spec;
  if (work.type !== 'agent') return undefined;
  // None is there: the first is tried, and says so.
  const name = freeAgent(state, work.agents, world) ?? work.agents[0]!;
  const { session: own, attempts } = task;
  if (own?.agent === name) return { name, session: own.id, how: 'continue', rung: 'session' };
  // After its own session was lost, going on in another task's would begin that one's work anew beside it.
  return attempts > 0 ? anew(task, name, world) : first(state, task, { work, name, world });
}

/** In a new session, which is told what was done before. */
function anew({ lastEnd }: TaskState, name: string, world: World): AgentStart {
  const rung = lastEnd === undefined ? 'restart' : 'transcript';
  return { name, how: 'new', ...chosenSession(name, world), rung };
}

function first(
  state: RunState,
  task: TaskState,
  { work, name, world }: { work: AgentWork; name: string; world: World },
): AgentStart {
  const { session } = work;
  if (session === undefined) return { name, how: 'new', ...chosenSession(name, world) };
  const of = sessionOf(state, task, 'continue' in session ? session.continue : session.fork);
  if ('continue' in session) return { name, how: 'continue', session: of };
  return { name, how: 'fork', of, ...chosenSession(name, world) };
}

function chosenSession(name: string, world: World): { readonly session?: string } {
  const id = world.mintSession(name);
  return id === undefined ? {} : { session: id };
}

function sessionOf(state: RunState, task: TaskState, other: string): string {
  const session = state.tasks.get(addressOf(task.scope, other))?.session;
  if (session !== undefined) return session.id;
  throw new PitonError('SESSION_MISSING', `${other} has left no session for ${task.address} to go on in.`);
}
