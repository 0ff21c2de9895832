import type { Event } from '../model/index.ts';
import type { RunState, SpooledAttempt, TaskState } from './run-state.ts';
import type { AttemptState } from './life.ts';

/** Adds attempts that the journal had lost, in the order in which they were started, to those that are to be taken up. */
export function rememberSpooled(state: RunState, attempts: readonly SpooledAttempt[]): void {
  if (attempts.length === 0) return;
  const all = [...Object.values(state.spooled ?? {}).flat(), ...attempts];
  // Earlier versions wrote them in any order, each with a number of its own. Those of the same number stay as they are.
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

/** Looked at again after so long. */
const slotWaitMs = 1_000;

/**
 * Takes up what was begun before, instead of beginning it again; undefined if nothing was. Bringing results together is no
 * process: git itself knows what was brought.
 */
export function takeUpSpooled(
  state: RunState,
  task: TaskState,
  { kind, now }: { readonly kind: AttemptState['kind']; readonly now: number },
): readonly Event[] | undefined {
  const { address } = task;
  const next = state.spooled?.[address]?.[0];
  if (next === undefined || kind === 'integrate') return undefined;
  if (next.started.kind !== kind) {
    const reason = `attempt ${next.attempt} was begun, which only the spool remembers, and does not match what comes next`;
    return [{ type: 'task.held', task: address, data: { reason, actions: ['retry', 'skip'] } }];
  }
  const wait = task.slot === undefined ? slotWait(state, task, { slot: next.started.slot, now }) : undefined;
  return wait === undefined ? beginning(task, next) : [wait];
}

function beginning({ address, slot: own, workspace }: TaskState, spooled: SpooledAttempt): readonly Event[] {
  const { attempt, at, started, prepared } = spooled;
  const { slot, ...rest } = started;
  // It has it since its first attempt; to take it once more would make the pool smaller.
  const taken = own === undefined && slot !== undefined ? { slot } : {};
  const begun = at === undefined ? {} : { begunAt: at };
  const isPlaced = prepared === undefined || workspace?.token === prepared.token;
  return [
    {
      type: 'attempt.started',
      task: address,
      attempt,
      data: { ...rest, ...taken, ...begun, isSpooled: true },
    },
    ...(isPlaced ? [] : [{ type: 'workspace.prepared', task: address, data: prepared } as const]),
  ];
}

/** It works in a place that another item still has: that one had come further when it was begun. */
function slotWait(
  { pools }: RunState,
  { address, item }: TaskState,
  { slot = 0, now }: { readonly slot: number | undefined; readonly now: number },
): Event | undefined {
  const holder = pools[item?.parent ?? '']?.holders[slot];
  if (holder === undefined) return undefined;
  const data = { until: now + slotWaitMs, reason: `${holder} has its place in the pool` };
  return { type: 'task.delayed', task: address, data };
}

/** What a task belongs to, by its address alone: it may not have come into being again. Empty for one of the run itself. */
export function ownerOf(address: string): string {
  const [last] = /(?:\[[^[\]]*\]|\.[^.[\]]*|^[^.[\]]*)$/.exec(address) ?? [address];
  return address.slice(0, address.length - last.length);
}
