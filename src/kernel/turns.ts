import type { Event } from '../model/index.ts';
import { hasMessages } from './conversation.ts';
import { placementOf } from './placement.ts';
import { released } from './released.ts';
import { kindOf, type RunState, type TaskState } from './run-state.ts';
import { isSlotEquipped } from './slots.ts';
import { conflictOf, finishedOf, kindOfStage, withoutFinished } from './stage.ts';
import type { Success } from './succeeded.ts';
import type { AttemptState } from './life.ts';

/** What the next attempt of a task is for: see `attempt.started`. */
export function nextKind(state: RunState, task: TaskState): AttemptState['kind'] {
  const { stage, conversation } = task;
  if (isToBeEquipped(state, task)) return 'setup';
  // Whatever a person has said since, is heard first.
  const isToHear = hasMessages(conversation) && finishedOf(stage) !== undefined;
  return kindOfStage(isToHear ? withoutFinished(stage) : stage);
}

/**
 * Whether it is another attempt for people: the work is begun, or an agent whose work did not pass its check goes on after its revisions
 * are used up.
 */
export function beginsAttempt({ stage, tally }: TaskState, kind: AttemptState['kind']): boolean {
  if (kind === undefined) return true;
  return kind === 'revision' && tally.revisions === 0 && conflictOf(stage) === undefined;
}

/** Of the attempt that it begins, or belongs to. A setup before the first belongs to that. */
export function attemptNumber(task: TaskState, kind: AttemptState['kind']): number {
  return beginsAttempt(task, kind) ? task.attempts + 1 : Math.max(task.attempts, 1);
}

function isToBeEquipped(state: RunState, task: TaskState): boolean {
  const { spec, workspace } = task;
  if (spec.setup?.work === undefined || workspace?.isEquipped === true) return false;
  if (workspace === undefined && isSlotEquipped(state, task)) return false;
  return placementOf(state, task).mode !== 'shared';
}

/** What follows the success of the attempt under way; undefined: the task has succeeded. */
export function nextStep(state: RunState, task: TaskState, success: Success): Event | undefined {
  const { address, conversation } = task;
  const kind = kindOf(task);
  if (kind === 'setup') return { type: 'workspace.equipped', task: address, data: {} };
  if (hasMessages(conversation)) return released(task);
  if (kind === 'integrate') return proposal(task, success);
  if (kind === 'verify') return { type: 'merge.verified', task: address, data: {} };
  return stepAfterWork(state, task, { success, isCheck: kind === 'check' });
}

/** What follows when the work is done, or its check has passed; undefined: the task has succeeded. */
export function stepAfterWork(
  state: RunState,
  task: TaskState,
  { success, isCheck }: { readonly success: Success; readonly isCheck: boolean },
): Event | undefined {
  const isToBeGiven = task.spec.artifacts !== undefined || integrates(state, task);
  if (isCheck) return isToBeGiven ? { type: 'check.passed', task: task.address, data: {} } : undefined;
  return isToBeGiven || task.spec.check !== undefined ? finished(task, success) : undefined;
}

function integrates(state: RunState, task: TaskState): boolean {
  const placement = placementOf(state, task);
  return placement.mode !== 'shared' && placement.integrates;
}

function proposal({ address }: TaskState, { proposed }: Success): Event | undefined {
  return proposed === undefined ? undefined : { type: 'merge.proposed', task: address, data: proposed };
}

function finished({ address }: TaskState, { output }: Success): Event {
  return { type: 'work.finished', task: address, data: output === undefined ? {} : { output } };
}

/** What the task gives: with checks and the like in between, that is known since its work was finished. */
export function resultOf(task: TaskState, given: Success): Success {
  const kind = kindOf(task);
  if (kind === undefined || kind === 'revision') return given;
  const output = finishedOf(task.stage)?.output;
  return output === undefined ? {} : { output };
}
