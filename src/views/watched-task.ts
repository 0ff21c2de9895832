import {
  actionsAt,
  gateOf,
  isConflicting,
  isGroup,
  isSettled,
  statusOfTask,
  type AskedCall,
  type Gate,
  type RunState,
  type TaskState,
} from '../kernel/index.ts';
import type { TaskSpec, TaskStatus } from '../model/index.ts';
import { actionsFor } from './inbox.ts';
import type { TaskMemory, WatchedAttempt } from './task-memory.ts';
import { questionView, type QuestionView } from './task-view.ts';

/** What is shown of one task while its run is watched. */
export interface WatchedTask {
  readonly address: string;
  /** The task that it belongs to: of an item its for-each, of an inner task the one around it. */
  readonly parent?: string;
  readonly spec: TaskSpec;
  readonly status: TaskStatus;
  /** It consists of other tasks, which are counted in its stead. */
  readonly isGroup: boolean;
  /** The attempt under way, or the last one. */
  readonly attempt?: WatchedAttempt;
  /** Of the last attempt, with the checks and revisions that belong to it. */
  readonly tookMs?: number;
  /** How often an agent was sent back by its check. */
  readonly revisions?: number;
  /** It was sent back because its work conflicts with that of others. */
  readonly isConflicting: boolean;
  /** The tool call that an agent asks for, or was last allowed or refused. */
  readonly asked?: AskedCall;
  readonly reason?: string;
  readonly until?: number;
  readonly actions?: readonly string[];
  /** Where a person is to decide. */
  readonly gate?: string;
  /** What the person is asked for there, if it is more than a yes. */
  readonly question?: QuestionView;
}

/** `memory`: what is worth telling of it and is not in the state. */
export function watchedTask(state: RunState, task: TaskState, memory: TaskMemory | undefined): WatchedTask {
  const { attempt, tookMs, asked } = memory ?? {};
  const { revisions } = task.tally;
  return {
    address: task.address,
    ...parentOf(task),
    spec: task.spec,
    status: statusOfTask(task),
    isGroup: isGroup(state, task),
    isConflicting: task.stage.name === 'revise' && isConflicting(task.stage),
    ...(attempt !== undefined && { attempt: { ...attempt, number: Math.max(task.attempts, 1) } }),
    ...(tookMs !== undefined && { tookMs }),
    ...(revisions > 0 && { revisions }),
    ...(asked !== undefined && { asked }),
    ...lifeOf(task),
  };
}

function parentOf({ item, scope }: TaskState): Pick<WatchedTask, 'parent'> {
  const parent = item?.parent ?? scope;
  return parent === '' ? {} : { parent };
}

function lifeOf({
  life,
}: TaskState): Pick<WatchedTask, 'reason' | 'until' | 'actions' | 'gate' | 'question'> {
  const gate = gateOf(life);
  if (gate !== undefined) return atGate(gate);
  if (life.status === 'failed') return { reason: life.failure.message };
  if (life.status === 'delayed') return { reason: life.reason, until: life.until };
  if (life.status === 'held') return { reason: life.reason, actions: actionsOf(life) };
  return isSettled(life) && 'reason' in life ? { reason: life.reason } : {};
}

function atGate(given: Gate): Pick<WatchedTask, 'reason' | 'actions' | 'gate' | 'question'> {
  const { gate, text, question } = given;
  const actions = actionsAt(given).filter((action) => action !== 'skip');
  return { gate, reason: text, actions, ...(question !== undefined && { question: questionView(question) }) };
}

function actionsOf(life: Extract<TaskState['life'], { status: 'held' }>): readonly string[] {
  const { actions, waitsFor } = life;
  return actionsFor({ actions, ...(waitsFor.type === 'session' && { lent: waitsFor.session }) });
}
