import type { Json } from '../base/index.ts';
import {
  actionsAt,
  gateOf,
  isAsking,
  isConflicting,
  isGroup,
  outputOf,
  skippedAlong,
  statusOfTask,
  type Gate,
  type Question,
  type RunState,
  type TaskState,
  type Waiting,
  type WorkspaceState,
} from '../kernel/index.ts';
import type { Failure, TaskStatus } from '../model/index.ts';
import { usageOf, type Usage } from './usage.ts';

/** What is known of one task. */
export interface TaskView {
  /** As the workflow names it; the address of an item or a visit says more. */
  readonly name: string;
  readonly needs: readonly string[];
  readonly status: TaskStatus;
  /** How far its work has come: what its next attempt is for, or the one under way. */
  readonly stage: 'work' | 'check' | 'revise' | 'integrate' | 'verify';
  /** It consists of other tasks: those of its own, or its items. They are counted in its stead. */
  readonly isGroup?: true;
  /** What it waits for. Absent: it runs, has settled, or starts as soon as somebody drives the run. */
  readonly waiting?: Waiting;
  /** How often its work was begun. Setups, checks, revisions and merges are not attempts of their own. */
  readonly attempts: number;
  /** The id of the last attempt. */
  readonly attempt?: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly output?: Json;
  readonly error?: Failure;
  /** It has failed, and was allowed to: nothing was stopped by it. */
  readonly tolerated?: true;
  /** Why it is held, delayed, skipped or cancelled. */
  readonly reason?: string;
  /** Of a held task: the tasks that would be skipped with it. */
  readonly skips?: readonly string[];
  /** What a person may do about a held task: `run.retry`, `run.done`, `run.skip`, `run.approve`, `run.reject`; `raise-dollars` and `raise-tokens`: `run.raiseBudget`. */
  readonly actions?: readonly string[];
  /** What `run.approve`, `run.answer` and `run.reject` decide. */
  readonly gate?: string;
  /** What a person is asked for, with `reason` as the text; `run.answer` gives it. */
  readonly question?: QuestionView;
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
  /** Its work conflicts with that of other tasks. */
  readonly isConflicting?: true;
  /** How often it has revised its work for its check. Absent where there is none. */
  readonly revisions?: number;
  /** What its agents have used. */
  readonly usage?: Usage;
  /** Its own place, if it has or had one. */
  readonly workspace?: WorkspaceView;
}

/** What an answer must be, and what happens without one. */
export interface QuestionView {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'choice';
  /** Of a choice. */
  readonly choices?: readonly Json[];
  readonly default?: Json;
  /** Then the default is the answer; without one the question has failed. */
  readonly until?: number;
}

/** The place where a task works, or has worked. */
export interface WorkspaceView {
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

export function taskView(state: RunState, task: TaskState, waiting: Waiting | undefined): TaskView {
  const { attempts, startedAt, endedAt, spec, lastAttempt, stage } = task;
  const output = outputOf(state, task);
  return {
    name: spec.name,
    needs: spec.needs,
    status: statusOfTask(task),
    stage: stage.name,
    ...(isGroup(state, task) && { isGroup: true }),
    ...(waiting !== undefined && { waiting }),
    attempts,
    ...(lastAttempt !== undefined && { attempt: lastAttempt }),
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...(output !== undefined && { output }),
    ...waitingOf(task),
    ...skipsOf(state, task),
    ...conversationOf(task),
  };
}

/** Why it is where it is, and what may be done about it. */
function waitingOf({ life, spec }: TaskState): Partial<TaskView> {
  const gate = gateOf(life);
  return {
    ...(life.status === 'failed' && { error: life.failure }),
    ...(life.status === 'failed' && spec.continueOnError && { tolerated: true }),
    ...('reason' in life && { reason: life.reason }),
    ...('until' in life && { until: life.until }),
    ...('actions' in life && { actions: life.actions }),
    ...('waitsFor' in life && life.waitsFor.type === 'session' && { lent: life.waitsFor.session }),
    ...(gate !== undefined && atGate(gate, isAsking(life))),
  };
}

/** A function that waits for its answer cannot be skipped meanwhile. */
function atGate(given: Gate, isRunning: boolean): Partial<TaskView> {
  const { gate, text, call, question } = given;
  const actions = actionsAt(given).filter((action) => !isRunning || action !== 'skip');
  return {
    gate,
    reason: text,
    actions,
    ...(call !== undefined && { call }),
    ...(question !== undefined && { question: questionView(question) }),
  };
}

export function questionView({ key: _, ...question }: Question): QuestionView {
  return question;
}

function skipsOf(state: RunState, task: TaskState): Pick<TaskView, 'skips'> {
  const skips = task.life.status === 'held' ? skippedAlong(state, task) : [];
  return skips.length === 0 ? {} : { skips };
}

function conversationOf(task: TaskState): Partial<TaskView> {
  const { conversation, generation, tally, workspace, spec, lastAttempt, stage } = task;
  const { session, cli } = conversation;
  const usage = usageOf(task.usage);
  return {
    ...(session !== undefined && { session }),
    ...agentOf(task),
    ...(cli !== undefined && { cli }),
    ...(generation !== undefined && { generation }),
    ...unheardBy(conversation),
    ...(spec.check !== undefined && lastAttempt !== undefined && { revisions: tally.revisions }),
    ...(isConflicting(stage) && { isConflicting: true }),
    ...(usage !== undefined && { usage }),
    ...(workspace !== undefined && { workspace: workspaceOf(workspace) }),
  };
}

function unheardBy({ news }: TaskState['conversation']): Pick<TaskView, 'messages'> {
  return news === undefined || news.messages.length === 0 ? {} : { messages: news.messages };
}

function agentOf({ life }: TaskState): Pick<TaskView, 'agent'> {
  const agent = life.status === 'running' ? life.attempt?.agent?.name : undefined;
  return agent === undefined ? {} : { agent };
}

function workspaceOf(workspace: WorkspaceState): WorkspaceView {
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
