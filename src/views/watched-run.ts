import type { Json } from '../base/index.ts';
import {
  fold,
  gateOf,
  isConflicting,
  isSettled,
  newRunState,
  statusOfTask,
  type AskedCall,
  type RunState,
  type TaskState,
} from '../kernel/index.ts';
import {
  lastWordOf,
  runBranch,
  type RunEvent,
  type RunStatus,
  type TaskSpec,
  type TaskStatus,
  type Workflow,
} from '../model/index.ts';
import { countTasks, hasWork, usageOfRun } from './checkpoint.ts';
import { foldWithout, withStandIns } from './dropped-values.ts';
import { actionsFor } from './inbox.ts';
import { isGroup } from './task-view.ts';
import { TaskMemory, type WatchedAttempt } from './task-memory.ts';
import type { Usage } from './usage.ts';

/** What is shown of one task while its run is watched. */
export interface WatchedTask {
  readonly address: string;
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
}

/** What whoever drives the run now has found, by address. */
export interface Found {
  /** Settled when the driver came: it did not touch them. */
  readonly settledBefore: number;
  readonly adopted: ReadonlySet<string>;
  readonly harvested: ReadonlySet<string>;
  readonly restarted: ReadonlySet<string>;
}

type AttemptEvent = Extract<RunEvent, { readonly attempt: string }>;

/** Tasks by status, those left out that consist of others. */
export type TaskCounts = Readonly<Record<TaskStatus | 'settled' | 'total', number>>;

/**
 * A run while it is watched: its state, folded event by event as whoever drives it does, and what is worth telling beside that. It must
 * be told every event from the first on.
 */
export class WatchedRun {
  readonly run: string;
  #state: RunState | undefined;
  readonly #tasks = new Map<string, TaskMemory>();
  /** No value of an event was dropped. */
  #isWhole = true;
  #drivenSince = 0;
  #settledBefore = 0;
  #adopted = new Set<string>();
  #harvested = new Set<string>();
  #restarted = new Set<string>();
  #mostRunning = 0;
  readonly #ended = { count: 0, totalMs: 0 };
  /** The first attempt of which something was told that needs to be told once. */
  readonly #firsts = new Map<string, string>();

  constructor(run: string) {
    this.run = run;
  }

  add(given: RunEvent): void {
    const event = withStandIns(given);
    const { run, seq, at } = event;
    this.#isWhole &&= event.dropped === undefined;
    if (event.type === 'lease.taken') this.#meetDriver(event.data.epoch, at);
    this.#state ??= newRunState({ run, seq, at, epoch: 1, version: 1, events: [event] });
    (this.#isWhole ? fold : foldWithout)(this.#state, event, { seq, at });
    this.#remember(event);
  }

  #meetDriver(epoch: number, at: number): void {
    if (epoch > 1) this.#drivenSince = at;
    this.#settledBefore = this.counts.settled;
    this.#adopted = new Set();
    this.#harvested = new Set();
    this.#restarted = new Set();
  }

  #remember(event: RunEvent): void {
    switch (event.type) {
      case 'run.created':
        this.#drivenSince = event.at;
        return;
      case 'gate.opened':
        this.#of(event.task).asked = event.data.call;
        return;
      case 'tasks.reopened':
        this.#reopen(event.data.tasks);
        return;
      default:
        if ('attempt' in event) this.#rememberAttempt(event as AttemptEvent);
    }
  }

  #rememberAttempt(event: AttemptEvent): void {
    switch (event.type) {
      case 'attempt.started':
        this.#begin(event);
        return;
      case 'attempt.recovered':
        (event.data.how === 'adopted' ? this.#adopted : this.#harvested).add(event.task);
        return;
      case 'attempt.ended':
        this.#end(event);
        return;
      case 'transcript.added':
        this.#of(event.task).said(lastWordOf(event.data));
        return;
      case 'attempt.spawned':
        this.#first(`sandbox ${event.data.sandbox ?? ''}`, event.attempt);
        this.#meetVersion(event);
        return;
      case 'session.opened':
        this.#meetVersion(event);
    }
  }

  #begin({ task, attempt, at, data }: Extract<RunEvent, { type: 'attempt.started' }>): void {
    const begun = this.#of(task).begin(attempt, data, at);
    if (begun.isAgain) this.#restarted.add(task);
    this.#mostRunning = Math.max(this.#mostRunning, this.#state!.counts.running);
  }

  #end({ task, at, data }: Extract<RunEvent, { type: 'attempt.ended' }>): void {
    const took = this.#of(task).end(data, at);
    if (data.outcome === 'interrupted') {
      // It left no result.
      this.#harvested.delete(task);
      return;
    }
    this.#ended.count++;
    this.#ended.totalMs += took;
  }

  /** What came of them (items, visits, tasks of their own) will come anew. */
  #reopen(tasks: readonly string[]): void {
    // A thousand may be reopened at once: each address is looked up by what it lies in, not compared with all of them.
    const reopened = new Set(tasks);
    const isInside = (address: string): boolean =>
      reopened.has(address) ||
      Array.from(address.matchAll(/[.[]/g)).some(({ index }) => reopened.has(address.slice(0, index)));
    for (const address of this.#tasks.keys()) if (isInside(address)) this.#tasks.delete(address);
    this.#settledBefore = Math.min(this.#settledBefore, this.counts.settled);
  }

  #meetVersion({
    task,
    attempt,
    data,
  }: Extract<RunEvent, { type: 'attempt.spawned' | 'session.opened' }>): void {
    const agent = this.#of(task).attempt?.agent;
    if (agent !== undefined && data.version !== undefined)
      this.#first(`version ${agent} ${data.version}`, attempt);
  }

  #first(what: string, attempt: string): void {
    if (!this.#firsts.has(what)) this.#firsts.set(what, attempt);
  }

  #of(task: string): TaskMemory {
    const known = this.#tasks.get(task) ?? new TaskMemory();
    this.#tasks.set(task, known);
    return known;
  }

  /** Whether that attempt is the first with this sandbox (`sandbox <name>`), or version (`version <agent> <version>`). */
  isFirst(what: string, attempt: string): boolean {
    return this.#firsts.get(what) === attempt;
  }

  get workflow(): Workflow | undefined {
    return this.#state?.workflow;
  }

  /** That it is held or delayed is told by its tasks. */
  get status(): RunStatus {
    const status = this.#state?.phase.status ?? 'active';
    return status === 'active' ? 'running' : status;
  }

  get reason(): string | undefined {
    const phase = this.#state?.phase;
    if (phase?.status === 'failed') return phase.failure.message;
    return phase !== undefined && 'reason' in phase ? phase.reason : undefined;
  }

  /** What it gave back. */
  get outputs(): Json | undefined {
    const phase = this.#state?.phase;
    return phase?.status === 'succeeded' ? phase.outputs : undefined;
  }

  get createdAt(): number {
    return this.#state?.createdAt ?? 0;
  }

  /** When whoever drives it now began to. */
  get drivenSince(): number {
    return this.#drivenSince;
  }

  /** Of the last event. */
  get at(): number {
    return this.#state?.at ?? 0;
  }

  /** Resources whose breaker is open. */
  get down(): readonly string[] {
    const breakers = this.#state?.breakers ?? [];
    return Array.from(breakers).flatMap(([resource, { open }]) => (open === undefined ? [] : [resource]));
  }

  /** The branch that holds what its tasks have made. */
  get branch(): string | undefined {
    const places = Array.from(this.#state?.tasks.values() ?? []);
    const has = places.some(
      ({ workspace }) => workspace?.branch !== undefined && workspace.base !== undefined,
    );
    return has ? runBranch(this.run).replace('refs/heads/', '') : undefined;
  }

  get hasWork(): boolean {
    return this.#state !== undefined && hasWork(this.#state);
  }

  get isDelivered(): boolean {
    return this.#state?.delivered !== undefined;
  }

  get usage(): Usage | undefined {
    return this.#state && usageOfRun(this.#state);
  }

  get found(): Found {
    return {
      settledBefore: this.#settledBefore,
      adopted: this.#adopted,
      harvested: this.#harvested,
      restarted: this.#restarted,
    };
  }

  /** Attempts that came to their end, for estimates. */
  get ended(): { readonly count: number; readonly totalMs: number } {
    return this.#ended;
  }

  get mostRunning(): number {
    return this.#mostRunning;
  }

  get counts(): TaskCounts {
    const counts = countTasks(this.#state);
    const settled = counts.succeeded + counts.failed + counts.skipped + counts.cancelled;
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return { ...counts, settled, total };
  }

  /** Only a person can go on with it. To be asked between two commits. */
  get waitsForPerson(): boolean {
    const counts = this.#state?.counts;
    if (counts === undefined || this.status !== 'running') return false;
    return counts.held > 0 && counts.running === 0 && counts.delayed === 0;
  }

  task(address: string): WatchedTask | undefined {
    const task = this.#state?.tasks.get(address);
    return task && this.#watched(task);
  }

  *tasks(): Generator<WatchedTask> {
    for (const task of this.#state?.tasks.values() ?? []) yield this.#watched(task);
  }

  #watched(task: TaskState): WatchedTask {
    const memory = this.#tasks.get(task.address);
    const { attempt, tookMs, asked } = memory ?? {};
    const { revisions } = task.tally;
    return {
      address: task.address,
      spec: task.spec,
      status: statusOfTask(task),
      isGroup: isGroup(this.#state!, task),
      isConflicting: task.stage.name === 'revise' && isConflicting(task.stage),
      ...(attempt !== undefined && { attempt: { ...attempt, tries: task.tries } }),
      ...(tookMs !== undefined && { tookMs }),
      ...(revisions > 0 && { revisions }),
      ...(asked !== undefined && { asked }),
      ...lifeOf(task),
    };
  }
}

function lifeOf({ life }: TaskState): Pick<WatchedTask, 'reason' | 'until' | 'actions'> {
  if (life.status === 'failed') return { reason: life.failure.message };
  if (life.status === 'delayed') return { reason: life.reason, until: life.until };
  if (life.status === 'held') return { reason: life.reason, actions: actionsOf(life) };
  return isSettled(life) && 'reason' in life ? { reason: life.reason } : {};
}

function actionsOf(life: Extract<TaskState['life'], { status: 'held' }>): readonly string[] {
  if (gateOf(life) !== undefined) return ['approve', 'reject'];
  const { actions, waitsFor } = life;
  return actionsFor({ actions, ...(waitsFor.type === 'session' && { lent: waitsFor.session }) });
}
