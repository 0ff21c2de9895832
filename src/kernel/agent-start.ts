import { PitonError } from '../base/index.ts';
import { traitsOf, type AgentWork, type Event } from '../model/index.ts';
import type { Conversation, Session } from './conversation.ts';
import { agentResource } from './breakers.ts';
import { budgetObstacle } from './budgets.ts';
import { addressOf, scopeAt, type OpenBreaker, type RunState, type TaskState } from './run-state.ts';
import type { World } from './world.ts';
import type { AgentStart } from './life.ts';

/** Why an agent cannot be asked now, as what becomes of the task. */
export function agentObstacle(state: RunState, task: TaskState, world: World): Event | undefined {
  return lentOut(state, task) ?? agentWait(state, task, world) ?? budgetObstacle(state, task, world);
}

/** A person is in the conversation that it would go on in. */
function lentOut(state: RunState, task: TaskState): Event | undefined {
  const id = sessionToBe(state, task)?.id;
  const holder = id === undefined ? undefined : lentOf(state, id);
  if (holder === undefined) return undefined;
  const reason = `its session is open in process ${holder.pid} on ${holder.host}`;
  return { type: 'task.held', task: task.address, data: { reason, actions: ['skip'], lent: id! } };
}

/** Who has a session. The agent names it: it may be `constructor`. */
export function lentOf({ lent }: RunState, session: string): RunState['lent'][string] | undefined {
  return Object.hasOwn(lent, session) ? lent[session] : undefined;
}

/** All agents that are there are at their limit, or out of order: when the first of them may be asked again. */
function agentWait(state: RunState, task: TaskState, world: World): Event | undefined {
  const agents = agentsFor(state, task);
  if (freeAgent(state, agents, world) !== undefined) return undefined;
  const waits = agents.flatMap((name) => openFor(state, name, world.now) ?? []);
  const [first] = waits.toSorted((a, b) => a.until - b.until);
  if (first === undefined) return undefined;
  const wait = { until: first.until, reason: first.reason };
  const { maxWaitMs = Infinity } = state.workflow.usageLimits ?? {};
  if (wait.until - world.now <= maxWaitMs) return { type: 'task.delayed', task: task.address, data: wait };
  const minutes = Math.ceil((wait.until - world.now) / 60_000);
  const reason = `${wait.reason}; it ends in ${minutes} min, which is longer than it may wait`;
  return { type: 'task.held', task: task.address, data: { reason, actions: ['retry', 'skip'] } };
}

/**
 * The first by preference that is there and may be asked. One that did not reach its model comes last: whoever failed with it
 * waits as long as it has to by itself, and nobody else knows whether it still is so.
 */
function freeAgent(state: RunState, agents: readonly string[], world: World): string | undefined {
  const there = agents.filter((name) => world.hasAgent(name));
  const obstacles = there.map((name) => openFor(state, name, world.now));
  const free = obstacles.indexOf(undefined);
  return there[free >= 0 ? free : obstacles.findIndex((open) => open?.network === true)];
}

function openFor({ breakers }: RunState, agent: string, now: number): OpenBreaker | undefined {
  const open = breakers.get(agentResource(agent))?.open;
  return open !== undefined && open.until > now ? open : undefined;
}

/** Only the agent that has a conversation can go on in it. */
function agentsFor(state: RunState, task: TaskState): readonly string[] {
  const { agents, session } = task.spec.work as AgentWork;
  const other =
    session === undefined || task.conversation.lastEnd !== undefined ? undefined : otherSession(state, task);
  return other === undefined ? agents : [other.agent];
}

/** The one it has, or else the one it is to go on in or to copy. */
function sessionToBe(state: RunState, task: TaskState): Conversation['session'] {
  return task.conversation.session ?? otherSession(state, task);
}

function otherSession(state: RunState, task: TaskState): Conversation['session'] {
  return sessionOrigin(state, task)?.conversation.session;
}

/** The task in whose conversation, or a copy of it, another is to go on; in a graph its last visit. */
export function sessionOrigin(state: RunState, { scope, spec }: TaskState): TaskState | undefined {
  const { session } = spec.work as AgentWork;
  if (session === undefined) return undefined;
  const name = 'continue' in session ? session.continue : session.fork;
  const { graph } = scopeAt(state, scope);
  const visit = graph === undefined ? '' : `#${graph.visits.get(name)}`;
  return state.tasks.get(`${addressOf(scope, name)}${visit}`);
}

/**
 * With which agent a task is tried, and in which conversation: its own if it has one, that of another task or a copy of
 * it if it is to, else a new one. Throws `SESSION_MISSING`.
 */
export function startOfAgent(state: RunState, task: TaskState, world: World): AgentStart {
  const agents = agentsFor(state, task);
  // None is there: the first is tried, and says so.
  const name = freeAgent(state, agents, world) ?? agents[0]!;
  const { session: own, lastEnd } = task.conversation;
  if (lastEnd === undefined) return first(state, task, { name, world });
  if (own?.agent === name && own.ofParent === undefined)
    return { name, session: own.id, how: 'continue', rung: 'session' };
  if (own?.agent === name && canCopy(own))
    return { name, how: 'fork', of: own.id, rung: 'session', ...chosenSession(name, world) };
  return { ...anew(state, task, { name, world }), rung: 'transcript' };
}

interface Starting {
  readonly name: string;
  readonly world: World;
}

/** Its own session is lost, or another agent's. Going on in another task's would begin that one's work anew beside it. */
function anew(state: RunState, task: TaskState, { name, world }: Starting): AgentStart {
  const { session } = task.spec.work as AgentWork;
  const other = task.conversation.lastEnd?.originLost === true ? undefined : otherSession(state, task);
  const isCopied = session !== undefined && 'fork' in session && other?.agent === name && canCopy(other);
  if (!isCopied) return { name, how: 'new', ...chosenSession(name, world) };
  return { name, how: 'fork', of: other.id, ...chosenSession(name, world) };
}

function first(state: RunState, task: TaskState, { name, world }: Starting): AgentStart {
  const { session } = task.spec.work as AgentWork;
  if (session === undefined) return { name, how: 'new', ...chosenSession(name, world) };
  const other = otherSession(state, task);
  if (other === undefined) throw noSession(task, 'continue' in session ? session.continue : session.fork);
  const { id: of, ofParent } = other;
  if ('continue' in session && ofParent === undefined) return { name, how: 'continue', session: of };
  const isCopied = canCopy(other);
  return isCopied
    ? { name, how: 'fork', of, ...chosenSession(name, world) }
    : { name, how: 'new', rung: 'transcript', ...chosenSession(name, world) };
}

/** Of a session of the run that this one was forked from, unless it has been gone on in since. */
function canCopy({ agent, ofParent }: Session): boolean {
  if (ofParent === undefined) return true;
  return ofParent === 'current' && traitsOf(agent)?.sessions === 'fork';
}

function chosenSession(name: string, world: World): { readonly session?: string } {
  const id = world.mintSession(name);
  return id === undefined ? {} : { session: id };
}

function noSession({ address }: TaskState, other: string): PitonError {
  return new PitonError('SESSION_MISSING', `${other} has left no session for ${address} to go on in.`);
}
