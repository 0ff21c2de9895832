import type { Event } from '../model/index.ts';
import { released } from './failures.ts';
import { placementOf } from './placement.ts';
import { kindOf, type AttemptState, type RunState, type TaskState } from './run-state.ts';
import type { Success } from './success.ts';

/** What the next attempt of a task is for: see `attempt.started`. */
export function nextKind(state: RunState, task: TaskState): AttemptState['kind'] {
  const { spec, finished, report, messages = [] } = task;
  if (isToBeEquipped(state, task)) return 'setup';
  // Whatever a person has said since, is heard first.
  if (finished !== undefined && messages.length === 0) {
    return spec.check !== undefined && finished.isChecked !== true ? 'check' : 'integrate';
  }
  return report === undefined ? undefined : 'revision';
}

function isToBeEquipped(state: RunState, task: TaskState): boolean {
  if (task.spec.setup?.work === undefined || task.workspace?.isEquipped === true) return false;
  return placementOf(state, task).mode === 'worktree';
}

/** What follows the success of the attempt under way; undefined: the task has succeeded. */
export function nextStep(state: RunState, task: TaskState, success: Success): Event | undefined {
  const { address, messages = [] } = task;
  const kind = kindOf(task);
  if (kind === 'setup') return { type: 'workspace.equipped', task: address, data: {} };
  if (messages.length > 0) return released(task);
  if (kind === 'integrate') return undefined;
  const hasPlace = placementOf(state, task).mode === 'worktree';
  if (kind !== 'check')
    return hasPlace || task.spec.check !== undefined ? finished(task, success) : undefined;
  return hasPlace ? { type: 'check.passed', task: address, data: {} } : undefined;
}

function finished({ address }: TaskState, { output }: Success): Event {
  return { type: 'work.finished', task: address, data: output === undefined ? {} : { output } };
}

/** What the task gives: with checks and the like in between, that is known since its work was finished. */
export function resultOf(task: TaskState, given: Success): Success {
  const kind = kindOf(task);
  if (kind !== 'check' && kind !== 'integrate') return given;
  const output = task.finished?.output;
  return output === undefined ? {} : { output };
}
