import {
  interruptionOf,
  driftOf,
  statusOf,
  statusOfTask,
  type Drift,
  type RunState,
  type TaskState,
} from '../kernel/index.ts';
import { isProcess, type RunStatus, type Workflow } from '../model/index.ts';
import type { Spool } from '../spool/index.ts';
import { standingOf, type Found } from './find-attempt.ts';

/** What going on with a run would do. */
export interface ResumePreview {
  readonly run: string;
  /** Of the run as it was looked at: see `seen` of `resume`. */
  readonly version: number;
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
  return { run: state.run, version: state.version, status: statusOf(state), tasks, drift };
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
  if (task.life.status !== 'running' || !isProcess(task.spec.work)) return interruptionOf(state, task);
  const attempt = task.life.attempt!;
  const standing = standingOf(spool, attempt);
  switch (standing.type) {
    case 'alive':
    case 'ended':
      return previewFound(state, task, {
        found: standing.found,
        isStopped: spool.stopNote(attempt.id) !== undefined,
      });
    case 'interrupted':
      if (standing.mayStillRun === true) return { action: 'hold', reason: standing.reason };
      return interruptionOf(state, task);
    case 'not-begun':
      return { action: 'restart', reason: 'it had not begun' };
    case 'unknown':
      return interruptionOf(state, task);
  }
}

/** One that failed after it was asked to stop has not failed by itself. */
function previewFound(
  state: RunState,
  task: TaskState,
  { found, isStopped }: { readonly found: Exclude<Found, { type: 'vanished' }>; readonly isStopped: boolean },
): Omit<TaskPreview, 'task'> {
  if (found.type === 'alive')
    return { action: 'adopt', reason: `its process ${found.process.pid} still runs` };
  const { code } = found.exit;
  if (isStopped && code !== 0) return interruptionOf(state, task);
  return { action: 'harvest', reason: `it ended meanwhile with exit code ${code}` };
}
