import type { Command, Event } from '../model/index.ts';
import { onInterruptOf, statusOfTask, type RunState, type TaskState } from './run-state.ts';
import { accept, refuse, type Verdict } from './verdict.ts';
import { gateOf } from './life.ts';

export function tell(
  state: RunState,
  { task: address, text, now, generation }: Extract<Command, { type: 'tell' }>,
): Verdict {
  const task = state.tasks.get(address);
  if (task === undefined) return refuse(`the run has no task ${address}`);
  const why = whyNobody(task, generation);
  if (why !== undefined) return refuse(`${address} ${why}`);
  // What must not be interrupted is not stopped for it either.
  const isNow = now === true && task.life.status === 'running' && onInterruptOf(task) !== 'ask';
  const when = whenHeard(task, isNow);
  if (when === undefined) return refuse(`${address} is ${statusOfTask(task)}: nobody would hear it`);
  const data = { text, ...(isNow && { now: true }) };
  return accept(`${address} will hear it ${when}`, { type: 'message.added', task: address, data });
}

/** Why it has no conversation, or not the one that is meant. */
function whyNobody({ spec, item, generation = 0 }: TaskState, seen = generation): string | undefined {
  if (spec.work.type !== 'agent') return 'is not done by an agent';
  if (spec.forEach !== undefined && item === undefined)
    return 'has a conversation for each of its items: name one of them';
  if (generation === seen) return undefined;
  return 'has been begun from scratch since you looked at it: its agent knows nothing of what was';
}

function whenHeard({ life }: TaskState, now: boolean): string | undefined {
  switch (life.status) {
    case 'running':
      return whenNext(life.attempt?.kind === 'check', now);
    case 'pending':
      return 'when it starts';
    case 'delayed':
      return 'when it goes on';
    case 'held':
      return gateOf(life) === undefined ? 'when it is tried again' : 'when it is approved';
    case 'failed':
      return 'when it is tried again';
    default:
      return undefined;
  }
}

function whenNext(isCheck: boolean, now: boolean): string {
  if (now)
    return `at once: ${isCheck ? 'its check is stopped, and done again later' : 'it is stopped, and goes on with it'}`;
  return isCheck ? 'when its check has ended' : 'in its next turn';
}

export function lend(state: RunState, command: Extract<Command, { type: 'lend' }>): Verdict {
  const { task: address, session, from, host, pid, token } = command;
  const task = state.tasks.get(address);
  if (task === undefined) return refuse(`the run has no task ${address}`);
  if (task.conversation.session?.id !== session) return refuse(`${address} is in another session by now`);
  const user = [...state.tasks.values()].find(
    (other) => other.conversation.session?.id === session && other.life.status === 'running',
  );
  if (user !== undefined) return refuse(`${user.address} is running, in that session`);
  const data = { session, from, host, pid, token };
  return accept(`the session of ${address} is yours`, { type: 'session.lent', task: address, data });
}

export function giveBack(state: RunState, { token, at }: Extract<Command, { type: 'return' }>): Verdict {
  const event = returnedSession(state, { token, at });
  return event === undefined ? refuse('nobody has that session') : accept('the session is back', event);
}

/** What becomes of a session that a person had. */
export function returnedSession(
  { lent }: RunState,
  {
    token,
    at,
    abandoned = false,
  }: { readonly token: string; readonly at: number; readonly abandoned?: boolean },
): Event | undefined {
  const found = Object.entries(lent).find(([, holder]) => holder.token === token);
  if (found === undefined) return undefined;
  const [session, { task, at: from }] = found;
  const data = { session, from, to: at, ...(abandoned && { abandoned }) };
  return { type: 'session.returned', task, data };
}
