import type { Json } from '../base/index.ts';
import {
  fold,
  isUndelivered,
  limitsOf,
  newRunState,
  nextWake,
  previewReopen,
  type RunState,
} from '../kernel/index.ts';
import { runBranch, type RunEvent, type RunStatus, type Workflow } from '../model/index.ts';
import { hasWork, usageOfRun } from './checkpoint.ts';
import { foldWithout, withStandIns } from './dropped-values.ts';
import { RunMemory, type Found } from './run-memory.ts';
import { taskCounts, type TaskCounts } from './task-counts.ts';
import type { Usage } from './usage.ts';
import { watchedTask, type WatchedTask } from './watched-task.ts';

/**
 * A run while it is watched: its state, folded event by event as whoever drives it does, and what is worth telling beside that. It must
 * be told every event from the first on.
 */
export class WatchedRun {
  readonly run: string;
  #state: RunState | undefined;
  readonly #memory = new RunMemory();
  /** No value of an event was dropped. */
  #isWhole = true;

  constructor(run: string) {
    this.run = run;
  }

  add(given: RunEvent): void {
    const event = withStandIns(given);
    const { run, seq, at } = event;
    this.#isWhole &&= event.dropped === undefined;
    if (event.type === 'lease.taken') this.#memory.meetDriver(event, this.#state);
    this.#state ??= newRunState({ run, seq, at, epoch: 1, version: 1, events: [event] });
    (this.#isWhole ? fold : foldWithout)(this.#state, event, { seq, at });
    this.#memory.remember(event, this.#state);
  }

  /** Whether that attempt is the first with this sandbox (`sandbox <name>`), or version (`version <agent> <version>`). */
  isFirst(what: string, attempt: string): boolean {
    return this.#memory.isFirst(what, attempt);
  }

  get workflow(): Workflow | undefined {
    return this.#state?.workflow;
  }

  /** How many attempts may run at once. */
  get maxParallel(): number {
    return (this.#state && limitsOf(this.#state).maxParallel) ?? Infinity;
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
    return this.#memory.drivenSince;
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

  /** All its work is done, and only handing it over is not. */
  get isUndelivered(): boolean {
    return this.#state !== undefined && !this.isDelivered && isUndelivered(this.#state);
  }

  get usage(): Usage | undefined {
    return this.#state && usageOfRun(this.#state);
  }

  get found(): Found {
    return this.#memory.found;
  }

  /** Attempts that came to their end, for estimates. */
  get ended(): { readonly count: number; readonly totalMs: number } {
    return this.#memory.ended;
  }

  get mostRunning(): number {
    return this.#memory.mostRunning;
  }

  get counts(): TaskCounts {
    return taskCounts(this.#state);
  }

  /** A task waits for a person, perhaps beside others that run. */
  get hasHeld(): boolean {
    return this.#state !== undefined && this.#state.counts.held > 0;
  }

  /** Only a person can go on with it: no timer does, nor a deadline. To be asked between two commits. */
  get waitsForPerson(): boolean {
    const state = this.#state;
    if (state === undefined || this.status !== 'running') return false;
    const { counts } = state;
    return counts.held > 0 && counts.running === 0 && nextWake(state) === undefined;
  }

  /** Whether something that has succeeded would run again if these were tried again. */
  rerunsSucceeded(tasks: readonly string[]): boolean {
    const reruns = this.#state && previewReopen(this.#state, { again: tasks });
    return reruns !== undefined && 'tasks' in reruns && reruns.tasks.some(({ hasSucceeded }) => hasSucceeded);
  }

  task(address: string): WatchedTask | undefined {
    const task = this.#state?.tasks.get(address);
    return task && watchedTask(this.#state!, task, this.#memory.task(address));
  }

  *tasks(): Generator<WatchedTask> {
    const state = this.#state;
    if (state === undefined) return;
    for (const task of state.tasks.values()) yield watchedTask(state, task, this.#memory.task(task.address));
  }
}
