import { agentNamed, type SessionRequest } from '../agents/index.ts';
import { PitonError } from '../base/index.ts';
import {
  placementOf,
  sessionOrigin,
  type AgentStart,
  type RunState,
  type TaskState,
} from '../kernel/index.ts';
import type { Outcome } from '../model/index.ts';

/**
 * The end of an attempt that would go on in another folder than its own, as some agents do with a session that was begun
 * there: what that session knows is told in a new one.
 */
export function boundElsewhere(
  state: RunState,
  task: TaskState,
  { name, how, rung }: AgentStart,
): Outcome | undefined {
  const agent = agentNamed(name);
  if (agent.bindsSessions !== true || how === 'new') return undefined;
  // Its own session was begun in its own place; a copy of one of another run was not.
  if (rung === 'session' && how === 'continue') return undefined;
  const places = [task, sessionOrigin(state, task)].filter((one) => one !== undefined);
  if (places.every((one) => placementOf(state, one).mode === 'shared')) return undefined;
  const reason = `${agent.title} cannot go on in a session that was begun in another folder`;
  return { type: 'interrupted', reason, graceful: true, sessionLost: true };
}

export function sessionRequest({ how, session, of }: AgentStart): SessionRequest {
  if (how === 'new') return { type: 'new', ...(session !== undefined && { id: session }) };
  if (how === 'fork') return { type: 'fork', of: of!, ...(session !== undefined && { id: session }) };
  if (session === undefined) throw new PitonError('SESSION_MISSING', 'There is no session to go on in.');
  return { type: 'continue', id: session };
}

/** The tasks whose conversation it was to go on in, the first of them first. */
export function originsOf(state: RunState, task: TaskState): TaskState[] {
  const other = sessionOrigin(state, task);
  return other === undefined ? [] : [...originsOf(state, other), other];
}
