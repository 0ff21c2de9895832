import type { EventOf } from '../model/index.ts';
import { noteProgress } from './beliefs.ts';
import { expectAnswer, setAsks } from './delay-task.ts';
import { allowCall, rememberRefusal } from './fold-conversation.ts';
import { decideAnew } from './fold-turns.ts';
import { gateOf, type Gate } from './life.ts';
import type { Answered, RunState, TaskState } from './run-state.ts';
import { holdTask } from './settle-task.ts';

/** Fold of `gate.opened`. A function that asks goes on waiting in its process; what has none is held. */
export function openGate(state: RunState, task: TaskState, gate: Gate): void {
  if (task.life.status === 'running') {
    setAsks(state, task, gate);
  } else {
    const { text: reason, ...waitsFor } = gate;
    holdTask(state, task, {
      status: 'held',
      reason,
      actions: actionsAt(gate),
      waitsFor: { type: 'gate', ...waitsFor },
    });
  }
  expectAnswer(state, task);
}

/** What a person may do at a gate. */
export function actionsAt({ question }: Gate): readonly string[] {
  return [question === undefined ? 'approve' : 'answer', 'reject', 'skip'];
}

type Decided = EventOf<'gate.decided'>['data'];

/** Fold of `gate.decided`. A task that was not approved fails by an event of its own. */
export function decideGate(state: RunState, task: TaskState, data: Decided): void {
  noteProgress(state, task);
  const { call, question } = gateOf(task.life) ?? {};
  if (question !== undefined) return foldAnswer(state, task, data);
  if (!data.approved) return call === undefined ? undefined : rememberRefusal(task, data.comment);
  if (call === undefined) task.approved = true;
  else allowCall(task, call);
  decideAnew(state, task);
}

/** What the answer means for the task is decided next, or by the function that waits for it. */
function foldAnswer(state: RunState, task: TaskState, data: Decided): void {
  const key = gateOf(task.life)?.question?.key;
  const answered: Answered = { ...(key !== undefined && { key }), ...outcomeOf(data) };
  task.answers = [...(task.answers ?? []).filter((other) => other.key !== key), answered];
  if (task.life.status === 'running') setAsks(state, task, undefined);
  else decideAnew(state, task);
}

function outcomeOf({ approved, answer, isOverdue, comment }: Decided): Answered {
  if (approved && answer !== undefined) return { answer };
  if (isOverdue === true) return { refusal: { code: 'NO_ANSWER', message: comment ?? '' } };
  return { refusal: { code: 'REJECTED', message: comment ?? 'rejected by the operator' } };
}
