import type { Json } from '../base/index.ts';
import type { Event, Sender } from '../model/index.ts';
import { hasMessages } from './conversation.ts';
import { gateRemedy } from './decide-gate.ts';
import { isStanding } from './places-to-clean.ts';
import { statusOfTask, type RunState, type TaskState } from './run-state.ts';
import { finishedOf } from './stage.ts';
import { successEvents } from './success.ts';
import { stepAfterWork } from './turns.ts';
import type { World } from './world.ts';

/** What a person says of work that was done without Piton seeing its end. */
export interface Confirmation {
  readonly output?: Json;
  /** Why they are sure. */
  readonly comment: string;
  readonly by?: Sender;
}

/**
 * The task goes on as if its last attempt had succeeded: to its check and its merge if it has these, with what is in its place;
 * else it has succeeded. Or why that cannot be.
 */
export function confirmWork(
  state: RunState,
  task: TaskState,
  { confirmation, world }: { readonly confirmation: Confirmation; readonly world: World },
): { readonly events: Event[] } | { readonly refusal: string } {
  const refusal = whyUnconfirmable(state, task, confirmation);
  if (refusal !== undefined) return { refusal };
  const { output, comment, by } = confirmation;
  const data = { comment, ...(by !== undefined && { by }) };
  const confirmed: Event = { type: 'work.confirmed', task: task.address, data };
  const success = output === undefined ? {} : { output };
  const next = stepAfterWork(state, task, { success, isCheck: false });
  if (next !== undefined) return { events: [confirmed, next] };
  const events = successEvents(state, task, { success, world });
  const last = events.at(-1)!;
  return last.type === 'task.failed'
    ? { refusal: last.data.failure.message }
    : { events: [confirmed, ...events] };
}

function whyUnconfirmable(state: RunState, task: TaskState, { comment }: Confirmation): string | undefined {
  const { address, life, conversation, workspace } = task;
  if (comment.trim() === '') return 'say why it counts as done';
  if (task.group !== undefined || state.scopes.has(address))
    return `${address} consists of other tasks: name the one among them that is done`;
  if (life.status === 'succeeded') return `${address} has already succeeded`;
  if (hasMessages(conversation)) return `the agent of ${address} has not heard your message yet: retry it`;
  if (workspace !== undefined && !isStanding(workspace))
    return `the place of ${address} was cleaned up, and what was in it cannot be checked or merged: retry it`;
  if (life.status === 'failed') return undefined;
  return whyNotHeld(state, task);
}

function whyNotHeld({ spooled }: RunState, task: TaskState): string | undefined {
  const { address, life, stage, unmet } = task;
  if (life.status !== 'held') return `${address} is ${statusOfTask(task)}, not held or failed`;
  if (life.waitsFor.type === 'gate') return gateRemedy(task);
  if (life.waitsFor.type === 'session') return life.reason;
  if (finishedOf(stage) !== undefined)
    return `the work of ${address} is finished already, and what is left is to check or merge it`;
  if (unmet > 0) return `${address} needs tasks that have not settled yet: retry it, and it waits for them`;
  return spooled?.[address] === undefined
    ? undefined
    : `${address} was begun before the repair, and is not taken up yet: retry it`;
}
