import type { Event } from '../model/index.ts';
import type { AttemptState, RunState, SpooledAttempt, TaskState } from './run-state.ts';

/** Adds attempts that the journal had lost to those that are to be taken up. */
export function rememberSpooled(state: RunState, attempts: readonly SpooledAttempt[]): void {
  if (attempts.length === 0) return;
  const all = [...Object.values(state.spooled ?? {}).flat(), ...attempts];
  const inOrder = all.toSorted((a, b) => a.started.number - b.started.number);
  state.spooled = Object.groupBy(inOrder, ({ task }) => task) as Record<string, SpooledAttempt[]>;
}

/** One that was taken up, or all of a task. */
export function forgetSpooled(state: RunState, address: string, attempt?: string): void {
  const { [address]: known = [], ...others } = state.spooled ?? {};
  const left = attempt === undefined ? [] : known.filter((one) => one.attempt !== attempt);
  if (left.length > 0) state.spooled = { ...others, [address]: left };
  else if (Object.keys(others).length > 0) state.spooled = others;
  else delete state.spooled;
}

/**
 * A person has decided that a held task goes on. What was begun may be what came of the same decision, when it was made
 * before and then lost: it may live, or have ended well. Only what cannot be taken up is given up.
 */
export function forgetUnfit(state: RunState, { address }: TaskState, kind: AttemptState['kind']): void {
  const next = state.spooled?.[address]?.[0];
  if (next !== undefined && kind !== 'integrate' && next.started.kind !== kind) forgetSpooled(state, address);
}

/**
 * Takes up what was begun before, instead of beginning it again; undefined if nothing was. Bringing results together is no
 * process: git itself knows what was brought.
 */
export function takeUpSpooled(
  { spooled }: RunState,
  { address, workspace }: TaskState,
  kind: AttemptState['kind'],
): readonly Event[] | undefined {
  const next = spooled?.[address]?.[0];
  if (next === undefined || kind === 'integrate') return undefined;
  const { attempt, started, prepared } = next;
  if (started.kind !== kind) {
    const reason = `attempt ${attempt} was begun, which only the spool remembers, and does not fit to what comes next`;
    return [{ type: 'task.held', task: address, data: { reason, actions: ['retry', 'skip'] } }];
  }
  const isPlaced = prepared === undefined || workspace?.token === prepared.token;
  return [
    { type: 'attempt.started', task: address, attempt, data: { ...started, isSpooled: true } },
    ...(isPlaced ? [] : [{ type: 'workspace.prepared', task: address, data: prepared } as const]),
  ];
}
