import type { Json, JsonObject } from '../base/index.ts';
import {
  finishedOf,
  isConflicting,
  isSettled,
  outputOf,
  outputsOfScope,
  scopeAt,
  statusOf,
  statusOfTask,
  whyWaiting,
  type DueTime,
  type PersonsTurn,
  type RunState,
  type TaskState,
  type Waiting,
  type WorkspaceState,
} from '../kernel/index.ts';
import type { Failure, RunStatus, TaskStatus } from '../model/index.ts';
import type { Definition, Progress } from './definition.ts';

/** What is known of one task at a checkpoint. */
export interface TaskReport {
  /** As the workflow names it; the address of an item or a visit says more. */
  readonly name: string;
  readonly needs: readonly string[];
  readonly status: TaskStatus;
  /** How far its work has come: what its next attempt is for, or the one under way. */
  readonly stage: 'work' | 'check' | 'revise' | 'integrate' | 'verify';
  /** What it waits for. Absent: it runs, has settled, or starts as soon as somebody drives the run. */
  readonly waiting?: Waiting;
  readonly attempts: number;
  /** The id of the last one. */
  readonly attempt?: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly output?: Json;
  readonly error?: Failure;
  /** It has failed, and was allowed to: nothing was stopped by it. */
  readonly tolerated?: boolean;
  /** Why it is held, delayed, skipped or cancelled. */
  readonly reason?: string;
  /** What a person may do about a held task: `run.retry`, `run.skip`, `run.approve`, `run.reject`; `raise-dollars` and `raise-tokens`: `run.raiseBudget`. */
  readonly actions?: readonly string[];
  /** What `run.approve` and `run.reject` decide. */
  readonly gate?: string;
  /** What an agent asks to do, if that is what is decided. */
  readonly call?: { readonly tool: string; readonly input: Json };
  /** It waits for its session, which a person has: that one's id. */
  readonly lent?: string;
  /** When it will be tried again. */
  readonly until?: number;
  /** The agent's conversation. */
  readonly session?: { readonly agent: string; readonly id: string };
  /** How often it was begun from scratch again, if at all. */
  readonly generation?: number;
  /** The agent that is at work now. */
  readonly agent?: string;
  /** The agent's program, and its version as that told it. */
  readonly cli?: { readonly agent: string; readonly version: string };
  /** What people have said to the agent, and it has not heard yet. */
  readonly messages?: readonly string[];
  /** Its work is done, and being checked. */
  readonly checking?: boolean;
  /** Its work is done, and being brought to that of the others. */
  readonly integrating?: boolean;
  /** What it made does not fit to what others made. */
  readonly unfitted?: boolean;
  /** Its own place, if it has or had one. */
  readonly workspace?: WorkspaceReport;
  /** How often it has revised its work for its check. Absent where there is none. */
  readonly revisions?: number;
}

interface WorkspaceReport {
  /** Absent: a git worktree here. */
  readonly kind?: 'directory' | 'remote';
  /** Its root; on the machine `remote`, if it is there. */
  readonly path: string;
  /** Of a worktree. */
  readonly branch?: string;
  /** Of a worktree: the commit it began from. */
  readonly base?: string;
  readonly remote?: string;
  /** That nobody else is given. */
  readonly ports?: { readonly first: number; readonly count: number };
  /** What came of it, and the commit of the run's branch that holds it. */
  readonly integrated?: { readonly result: string; readonly commit: string };
  /** What became of the place, and why. */
  readonly cleaned?: {
    readonly how: 'removed' | 'archived' | 'kept';
    readonly reason: string;
    readonly ref?: string;
  };
}

/** The state of a run, with its own provenance: `<run>@<seq>` names it for good. */
export interface Checkpoint<State = unknown> {
  readonly run: string;
  readonly seq: number;
  /** Grows with all that happens. A decision that names it (`seen`) is refused if its tasks have gone on since. */
  readonly version: number;
  readonly at: number;
  /** The task or node that changed last. */
  readonly lastTask: string | undefined;
  readonly workflow: string;
  readonly status: RunStatus;
  readonly inputs: JsonObject;
  /** Of a graph. */
  readonly state: State;
  readonly tasks: Readonly<Record<string, TaskReport>>;
  readonly progress: Progress;
  /** How its work was handed over last, by a merge or a pull request. */
  readonly delivered?: Delivered;
}

interface Delivered {
  readonly how: 'merge' | 'pull-request';
  /** A branch. */
  readonly into: string;
  readonly commit: string;
  readonly url?: string;
}

export function checkpointOf(state: RunState, definition: Definition | undefined): Checkpoint {
  const { inputs, graph } = scopeAt(state, '');
  const { run, seq, version, at, lastTask, counts, delivered } = state;
  const waiting = whyWaiting(state);
  const tasks = Object.fromEntries(
    [...state.tasks.values()].map((task) => [task.address, reportOf(state, task, waiting(task))]),
  );
  return Object.freeze({
    run,
    seq,
    version,
    at,
    lastTask,
    workflow: state.workflow.name,
    status: statusOf(state),
    inputs,
    state: graph?.state,
    tasks,
    progress: definition?.progress?.({ inputs, state: graph?.state }) ?? {
      done: counts.settled,
      total: counts.total,
    },
    ...(delivered !== undefined && { delivered }),
  });
}

function reportOf(state: RunState, task: TaskState, waiting: Waiting | undefined): TaskReport {
  const { attempts, startedAt, endedAt, spec, lastAttempt, stage } = task;
  const output = outputOf(state, task);
  return {
    name: spec.name,
    needs: spec.needs,
    status: statusOfTask(task),
    stage: stage.name,
    ...(waiting !== undefined && { waiting }),
    attempts,
    ...(lastAttempt !== undefined && { attempt: lastAttempt }),
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...(output !== undefined && { output }),
    ...waitingOf(task),
    ...conversationOf(task),
  };
}

/** Why it is where it is, and what may be done about it. */
function waitingOf({ life, spec }: TaskState): Partial<TaskReport> {
  return {
    ...(life.status === 'failed' && { error: life.failure }),
    ...(life.status === 'failed' && spec.continueOnError && { tolerated: true }),
    ...('reason' in life && { reason: life.reason }),
    ...('until' in life && { until: life.until }),
    ...('actions' in life && { actions: life.actions }),
    ...('waitsFor' in life && turnOf(life.waitsFor)),
  };
}

function turnOf(waitsFor: PersonsTurn | DueTime): Partial<TaskReport> {
  if (waitsFor.type === 'session') return { lent: waitsFor.session };
  if (waitsFor.type !== 'gate') return {};
  const { gate, call } = waitsFor;
  return { gate, ...(call !== undefined && { call }) };
}

function conversationOf(task: TaskState): Partial<TaskReport> {
  const { session, cli, generation, messages, tally, workspace, spec, attempts, stage } = task;
  return {
    ...(session !== undefined && { session }),
    ...agentOf(task),
    ...(cli !== undefined && { cli }),
    ...(generation !== undefined && { generation }),
    ...(messages !== undefined && { messages }),
    ...finishingOf(task),
    ...(spec.check !== undefined && attempts > 0 && { revisions: tally.revisions }),
    ...(isConflicting(stage) && { unfitted: true }),
    ...(workspace !== undefined && { workspace: workspaceOf(workspace) }),
  };
}

function agentOf({ life }: TaskState): Pick<TaskReport, 'agent'> {
  const agent = life.status === 'running' ? life.attempt?.agent?.name : undefined;
  return agent === undefined ? {} : { agent };
}

/** What is left to do when the work is done. */
function finishingOf({ stage, life }: TaskState): Partial<TaskReport> {
  if (finishedOf(stage) === undefined || isSettled(life)) return {};
  return stage.name === 'check' ? { checking: true } : { integrating: true };
}

function workspaceOf(workspace: WorkspaceState): WorkspaceReport {
  const { kind, path, branch, base, remote, ports, integrated, cleaned } = workspace;
  return {
    ...(kind !== undefined && { kind }),
    path,
    ...(branch !== undefined && { branch }),
    ...(base !== undefined && { base }),
    ...(remote !== undefined && { remote }),
    ...(ports !== undefined && { ports }),
    ...(integrated !== undefined && { integrated }),
    ...(cleaned !== undefined && { cleaned }),
  };
}

/** How a run ended. Failing is a value, not an exception. */
export type RunResult<Outputs, State> =
  | { readonly status: 'succeeded'; readonly outputs: Outputs; readonly state: State; readonly error?: never }
  | {
      readonly status: 'failed' | 'cancelled';
      /** Of the tasks that succeeded. */
      readonly outputs: Partial<Outputs>;
      readonly state: State;
      readonly error: Failure;
    };

/** Undefined if the run has not ended. */
export function resultOf(state: RunState): RunResult<unknown, unknown> | undefined {
  const { phase } = state;
  const scope = scopeAt(state, '');
  const graph = (scope.graph && { state: scope.graph.state }) as { state: unknown };
  const outputs = outputsOfScope(state, scope);
  switch (phase.status) {
    case 'succeeded':
      return {
        status: 'succeeded',
        outputs: phase.outputs === undefined ? outputs : phase.outputs,
        ...graph,
      };
    case 'failed':
      return { status: 'failed', error: phase.failure, outputs, ...graph };
    case 'cancelled':
      return { status: 'cancelled', error: cancelled(phase.reason), outputs, ...graph };
    default:
      return undefined;
  }
}

function cancelled(reason: string): Failure {
  return { code: 'CANCELLED', message: reason, retryable: false };
}
