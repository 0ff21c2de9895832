import {
  interruptionOf,
  statusOf,
  statusOfTask,
  viewDrift,
  type DriftView,
  type RunState,
  type TaskState,
} from '../kernel/index.ts';
import { isProcess, type RunStatus, type Workflow } from '../model/index.ts';
import type { WatchingAttempts } from '../spool/index.ts';
import { standingOf, type Found } from './find-attempt.ts';

/** What going on with a run would do. */
export interface ResumePreview extends DriftView {
  readonly run: string;
  /** Of the run as it was looked at: see `seen` of `resume`. */
  readonly version: number;
  readonly status: RunStatus;
  /** Every task that has not settled, in order. */
  readonly tasks: readonly TaskPreview[];
}

/** What going on would do for one task, and why. */
export interface TaskPreview {
  readonly task: string;
  /** `adopt`: its process lives, and is waited for. `harvest`: it has ended, and its result is taken. `hold`: a person is asked. */
  readonly action: 'adopt' | 'harvest' | 'restart' | 'start' | 'hold' | 'wait';
  readonly reason: string;
}

/** Looks, and changes nothing. */
export async function previewResume(
  state: RunState,
  spool: WatchingAttempts,
  given: Workflow | undefined,
): Promise<ResumePreview> {
  const previews: (TaskPreview | undefined)[] = [];
  for (const task of state.tasks.values()) previews.push(await previewTask(state, task, spool));
  const tasks = previews.filter((preview) => preview !== undefined);
  const drift = viewDrift(state, given ?? state.workflow);
  return { run: state.run, version: state.version, status: statusOf(state), tasks, ...drift };
}

async function previewTask(
  state: RunState,
  task: TaskState,
  spool: WatchingAttempts,
): Promise<TaskPreview | undefined> {
  const { life, address } = task;
  switch (life.status) {
    case 'running':
      // Of what consists of other tasks, those are told.
      return life.attempt === undefined
        ? undefined
        : { task: address, ...(await previewAttempt(state, task, spool)) };
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

async function previewAttempt(
  state: RunState,
  task: TaskState,
  spool: WatchingAttempts,
): Promise<Omit<TaskPreview, 'task'>> {
  if (task.life.status !== 'running' || !isProcess(task.spec.work)) return interruptionOf(state, task);
  const attempt = task.life.attempt!;
  const standing = await standingOf(spool, attempt);
  switch (standing.type) {
    case 'alive':
    case 'ended':
      return previewFound(state, task, {
        found: standing.found,
        isStopped: (await spool.stopNote(attempt.id)) !== undefined,
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
