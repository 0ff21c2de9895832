import type { Json, JsonObject } from '../base/index.ts';
import {
  isGroup,
  isUndelivered,
  nextWake,
  outputsOfScope,
  scopeAt,
  statusOf,
  statusOfTask,
  whyWaiting,
  type RunState,
} from '../kernel/index.ts';
import {
  runBranch,
  type Failure,
  type RunAbout,
  type RunStatus,
  type Sender,
  type TaskStatus,
} from '../model/index.ts';
import { runLimits, type RunLimits } from './run-limits.ts';
import { taskView, type TaskView } from './task-view.ts';
import { usageOf, type Usage } from './usage.ts';

/** How far a run has come: in tasks, unless its definition knows better. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  /** Rounded down: 100 means all. */
  readonly percent: number;
}

/** The state of a run, with its own provenance: `<run>@<seq>` names it for good. All of it is in the journal. */
export interface Checkpoint<State = unknown> {
  readonly run: string;
  readonly seq: number;
  /** Grows with all that happens. A decision that names it (`seen`) is refused if its tasks have gone on since. */
  readonly version: number;
  /** Of a fork, when it was forked. */
  readonly createdAt: number;
  /** Checkpoints that people or functions gave a name to, by that name. */
  readonly names?: Readonly<Record<string, number>>;
  /** When it last changed. */
  readonly at: number;
  /** The task or node that changed last. */
  readonly lastTask?: string;
  readonly workflow: string;
  /** What its operator says of it. */
  readonly about?: RunAbout;
  readonly status: RunStatus;
  /** Why it is paused, has failed or was cancelled. */
  readonly reason?: string;
  /** What limits it as a whole, if anything does. */
  readonly limits?: RunLimits;
  readonly inputs: JsonObject;
  /** Of a graph; absent for other workflows. */
  readonly state: State;
  /** Of a run that has succeeded. */
  readonly outputs?: Json;
  readonly error?: Failure;
  readonly progress: Progress;
  /** Tasks by status. Those that consist of others are left out. */
  readonly counts: Readonly<Record<TaskStatus, number>>;
  /** What its agents have used. */
  readonly usage?: Usage;
  /** The branch that holds what its tasks have made. */
  readonly branch?: string;
  /** Its tasks have changed files, and these are in the branch. */
  readonly hasWork?: true;
  /** All its work is done, and only handing it over is not: `piton pr` and `piton merge` take it as it is. */
  readonly undelivered?: true;
  /** How its work was handed over last, by a merge or a pull request. */
  readonly delivered?: Delivered;
  /** Its journal was damaged, or had lost its end, and was taken back: when that was, and up to which commit it is known to have gone. */
  readonly repaired?: { readonly at: number; readonly lostTo: number };
  /** When it goes on by itself, if it waits for a time. */
  readonly wakeAt?: number;
  /** What is out of order or at its usage limit, until when, and why. */
  readonly breakers?: readonly OpenBreaker[];
  readonly tasks: Readonly<Record<string, TaskView>>;
}

/** Where the work of a run has gone. */
export interface Delivered {
  readonly how: 'merge' | 'pull-request';
  /** A branch. */
  readonly into: string;
  readonly commit: string;
  readonly url?: string;
  /** Who did it; absent: a task of the run. */
  readonly by?: Sender;
}

/** A resource that has failed too often in a row: tasks that use it wait until then. */
export interface OpenBreaker {
  /** Agents are `agent:<name>`. */
  readonly resource: string;
  readonly until: number;
  readonly reason: string;
}

/** `measure`: of a definition that knows its progress better than by the count of tasks. */
export function checkpointOf(
  state: RunState,
  measure?: (data: {
    readonly inputs: unknown;
    readonly state?: unknown;
  }) => Pick<Progress, 'done' | 'total'>,
): Checkpoint {
  const { inputs, graph } = scopeAt(state, '');
  const { run, seq, version, createdAt, names, at, lastTask, counts, workflow, about } = state;
  const limits = runLimits(state);
  return Object.freeze({
    run,
    seq,
    version,
    createdAt,
    ...(names !== undefined && { names }),
    at,
    ...(lastTask !== undefined && { lastTask }),
    workflow: workflow.name,
    ...(about !== undefined && { about }),
    status: statusOf(state),
    ...endOf(state),
    ...(limits !== undefined && { limits }),
    inputs,
    state: graph?.state,
    progress: progressOf(
      measure?.({ inputs, state: graph?.state }) ?? { done: counts.settled, total: counts.total },
    ),
    counts: countTasks(state),
    ...workOf(state),
    ...repairOf(state),
    ...waitingOf(state),
    tasks: tasksOf(state),
  });
}

export function progressOf({ done, total }: Pick<Progress, 'done' | 'total'>): Progress {
  return { done, total, percent: total === 0 ? 0 : Math.floor((100 * done) / total) };
}

function tasksOf(state: RunState): Readonly<Record<string, TaskView>> {
  const waiting = whyWaiting(state);
  return Object.fromEntries(
    Array.from(state.tasks.values(), (task) => [task.address, taskView(state, task, waiting(task))] as const),
  );
}

function endOf(state: RunState): Pick<Checkpoint, 'reason' | 'outputs' | 'error'> {
  const { phase } = state;
  switch (phase.status) {
    case 'succeeded':
      return { outputs: phase.outputs ?? outputsOfScope(state, scopeAt(state, '')) };
    case 'failed':
      return { reason: phase.failure.message, error: phase.failure };
    default:
      return 'reason' in phase && phase.reason !== undefined ? { reason: phase.reason } : {};
  }
}

export function countTasks(state: RunState | undefined): Readonly<Record<TaskStatus, number>> {
  const counts: Record<TaskStatus, number> = {
    pending: 0,
    queued: 0,
    running: 0,
    delayed: 0,
    held: 0,
    succeeded: 0,
    failed: 0,
    skipped: 0,
    cancelled: 0,
  };
  for (const task of state?.tasks.values() ?? []) if (!isGroup(state!, task)) counts[statusOfTask(task)]++;
  return counts;
}

function workOf(
  state: RunState,
): Pick<Checkpoint, 'usage' | 'branch' | 'hasWork' | 'undelivered' | 'delivered'> {
  const { run, tasks, delivered } = state;
  const usage = usageOfRun(state);
  const hasBranch =
    state.tip !== undefined ||
    Array.from(tasks.values()).some(({ workspace }) => workspace?.branch !== undefined);
  return {
    ...(usage !== undefined && { usage }),
    ...(hasBranch && { branch: runBranch(run).replace('refs/heads/', '') }),
    ...(hasWork(state) && { hasWork: true }),
    ...(delivered === undefined && isUndelivered(state) && { undelivered: true }),
    ...(delivered !== undefined && { delivered }),
  };
}

export function usageOfRun({ usage }: RunState): Usage | undefined {
  return usage.input + usage.output + usage.usd + usage.unpricedTokens > 0 ? usageOf(usage) : undefined;
}

/** One of its tasks has brought something to its branch. */
export function hasWork({ tasks, fork, tip, origin }: RunState): boolean {
  // Of what was brought in before a fork, only where it led is known.
  if (fork !== undefined && tip !== undefined && tip !== origin?.repository?.base) return true;
  return Array.from(tasks.values()).some(
    ({ workspace }) => workspace?.integrated !== undefined && workspace.integrated.commit !== workspace.base,
  );
}

function repairOf({ repairedAt, lostTo }: RunState): Pick<Checkpoint, 'repaired'> {
  return repairedAt === undefined || lostTo === undefined ? {} : { repaired: { at: repairedAt, lostTo } };
}

function waitingOf(state: RunState): Pick<Checkpoint, 'wakeAt' | 'breakers'> {
  const status = statusOf(state);
  const wakeAt = status === 'delayed' || status === 'held' ? nextWake(state) : undefined;
  const breakers = Array.from(state.breakers).flatMap(([resource, { open }]) =>
    open === undefined ? [] : [{ resource, until: open.until, reason: open.reason }],
  );
  return {
    ...(wakeAt !== undefined && { wakeAt }),
    ...(breakers.length > 0 && { breakers }),
  };
}
