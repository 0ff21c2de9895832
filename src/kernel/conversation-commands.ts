import type { Command, Event } from '../model/index.ts';
import { statusOfTask, type RunState, type TaskState } from './run-state.ts';
import { accept, refuse, type Verdict } from './verdict.ts';

export function tell(
  state: RunState,
  { task: address, text, now }: Extract<Command, { type: 'tell' }>,
): Verdict {
  const task = state.tasks.get(address);
  if (task === undefined) return refuse(`the run has no task ${address}`);
  if (task.spec.work.type !== 'agent' || task.group !== undefined)
    return refuse(`${address} is not done by an agent`);
  const when = whenHeard(task, now === true);
  if (when === undefined) return refuse(`${address} is ${statusOfTask(task)}: nobody would hear it`);
  const isNow = now === true && task.life.status === 'running';
  const data = { text, ...(isNow && { now: true }) };
  return accept(`${address} will hear it ${when}`, { type: 'message.added', task: address, data });
}

function whenHeard({ life }: TaskState, now: boolean): string | undefined {
  switch (life.status) {
    case 'running':
      if (life.attempt?.kind === 'check') return 'when its check has ended';
      return now ? 'at once: it is stopped, and goes on with it' : 'in its next turn';
    case 'pending':
      return 'when it starts';
    case 'delayed':
      return 'when it goes on';
    case 'held':
      return life.gate === undefined ? 'when it is tried again' : 'when it is approved';
    case 'failed':
      return 'when it is tried again';
    default:
      return undefined;
  }
}

export function lend(state: RunState, command: Extract<Command, { type: 'lend' }>): Verdict {
  const { task: address, session, from, host, pid, token } = command;
  const task = state.tasks.get(address);
  if (task === undefined) return refuse(`the run has no task ${address}`);
  if (task.session?.id !== session) return refuse(`${address} is in another session by now`);
  const user = [...state.tasks.values()].find(
    (other) => other.session?.id === session && other.life.status === 'running',
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
