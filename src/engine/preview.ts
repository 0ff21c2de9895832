import {
  interruptionOf,
  driftOf,
  statusOf,
  statusOfTask,
  type Drift,
  type RunState,
  type TaskState,
} from '../kernel/index.ts';
import type { RunStatus, Workflow } from '../model/index.ts';
import type { Spool } from '../spool/index.ts';

/** What going on with a run would do. */
export interface ResumePreview {
  readonly run: string;
  readonly status: RunStatus;
  /** Every task that has not settled, in order. */
  readonly tasks: readonly TaskPreview[];
  /** How the given definition differs from the stored one. */
  readonly drift: readonly Drift[];
}

export interface TaskPreview {
  readonly task: string;
  readonly action: 'adopt' | 'harvest' | 'restart' | 'start' | 'hold' | 'wait';
  readonly reason: string;
}

/** Looks, and changes nothing. */
export function previewResume(state: RunState, spool: Spool, given: Workflow | undefined): ResumePreview {
  const tasks = [...state.tasks.values()].flatMap((task) => previewTask(state, task, spool) ?? []);
  const drift = given === undefined ? [] : driftOf(state, given);
  return { run: state.run, status: statusOf(state), tasks, drift };
}

function previewTask(state: RunState, task: TaskState, spool: Spool): TaskPreview | undefined {
  const { life, address } = task;
  switch (life.status) {
    case 'running':
      // Of what consists of other tasks, those are told.
      return life.attempt === undefined
        ? undefined
        : { task: address, ...previewAttempt(state, task, spool) };
    case 'held':
      return { task: address, action: 'hold', reason: life.reason };
    case 'delayed':
      return { task: address, action: 'wait', reason: life.reason };
    case 'pending':
      return statusOfTask(task) === 'queued'
        ? { task: address, action: 'start', reason: 'all that it needs is done' }
        : { task: address, action: 'wait', reason: `needs ${task.spec.needs.join(', ')}` };
    default:
      return undefined;
  }
}

function previewAttempt(state: RunState, task: TaskState, spool: Spool): Omit<TaskPreview, 'task'> {
  if (task.life.status !== 'running' || task.spec.work.type !== 'command') return interruption(state, task);
  const { id, process } = task.life.attempt!;
  const seen = spool.look(id, process);
  switch (seen.type) {
    case 'alive':
      return { action: 'adopt', reason: `its process ${seen.process.pid} still runs` };
    case 'exited':
      return { action: 'harvest', reason: `it ended meanwhile with exit code ${seen.exit.code}` };
    case 'elsewhere':
      return { action: 'hold', reason: `it was started on ${seen.host}, and cannot be seen from here` };
    case 'absent':
    case 'unclaimed':
      if (process === undefined) return { action: 'restart', reason: 'it had not begun' };
      return interruption(state, task);
    case 'vanished':
      return interruption(state, task);
  }
}

function interruption(state: RunState, task: TaskState): Omit<TaskPreview, 'task'> {
  const { action, reason } = interruptionOf(state, task);
  return { action, reason };
}
