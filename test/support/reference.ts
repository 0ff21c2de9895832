/** What a flat workflow of tasks means, spelt out slowly: after every change everything is looked at again. */
import {
  isFunctionRef,
  type Condition,
  type Outcome,
  type TaskSpec,
  type Workflow,
} from '../../src/model/index.ts';

type Status =
  'pending' | 'queued' | 'running' | 'delayed' | 'held' | 'succeeded' | 'failed' | 'skipped' | 'cancelled';

interface Reference {
  readonly spec: TaskSpec;
  status: Status;
  /** It has been decided that it is to run. */
  wanted: boolean;
  until: number;
  failures: number;
}

const ends: ReadonlySet<Status> = new Set(['succeeded', 'failed', 'skipped', 'cancelled']);

export class ReferenceRun {
  now: number;
  isPaused = false;
  isCancelled = false;
  readonly #workflow: Workflow;
  readonly #tasks: Map<string, Reference>;
  readonly #closures: Readonly<Record<string, () => boolean>>;

  constructor(
    workflow: Workflow,
    { now, closures }: { now: number; closures: Readonly<Record<string, () => boolean>> },
  ) {
    this.now = now;
    this.#workflow = workflow;
    this.#closures = closures;
    this.#tasks = new Map(
      workflow.tasks.map((spec) => [
        spec.name,
        { spec, status: 'pending', wanted: false, until: 0, failures: 0 },
      ]),
    );
    this.#goOn();
  }

  /** Status by name; what waits for a slot and not for others is queued. */
  get statuses(): Record<string, Status> {
    return Object.fromEntries(
      [...this.#tasks.values()].map((task) => [
        task.spec.name,
        task.status === 'pending' && this.#needsOf(task).every(isOver) ? 'queued' : task.status,
      ]),
    );
  }

  get status(): 'active' | 'succeeded' | 'failed' | 'cancelled' {
    const all = [...this.#tasks.values()];
    if (!all.every(isOver)) return 'active';
    if (this.isCancelled) return 'cancelled';
    return all.some((task) => isFailure(task) || task.status === 'cancelled') ? 'failed' : 'succeeded';
  }

  /** The attempts of these tasks end together. */
  end(names: readonly string[], outcome: Outcome): void {
    for (const name of names) this.#endAttempt(this.#tasks.get(name)!, outcome);
    this.#goOn();
  }

  skip(name: string): void {
    const task = this.#tasks.get(name)!;
    if (this.status === 'active' && !isOver(task) && task.status !== 'running') task.status = 'skipped';
    this.#goOn();
  }

  retry(name: string): void {
    const task = this.#tasks.get(name)!;
    if (this.status === 'active' && task.status === 'held') task.status = 'pending';
    this.#goOn();
  }

  setPaused(paused: boolean): void {
    this.isPaused = paused;
    this.#goOn();
  }

  cancel(): void {
    if (this.status !== 'active') return;
    this.isCancelled = true;
    this.#goOn();
  }

  passTimeTo(now: number): void {
    this.now = now;
    this.#goOn();
  }

  /** All that follows by itself. */
  #goOn(): void {
    while (this.#cancelOne() || this.#decideOne() || this.#startOne());
  }

  #cancelOne(): boolean {
    const doomed = this.#find((task) => !isOver(task) && task.status !== 'running' && this.#isDoomed(task));
    if (doomed !== undefined) doomed.status = 'cancelled';
    return doomed !== undefined;
  }

  #decideOne(): boolean {
    const task = this.#find(
      (candidate) =>
        candidate.status === 'pending' && !candidate.wanted && this.#needsOf(candidate).every(isOver),
    );
    if (task === undefined) return false;
    if (this.#shouldRun(task)) task.wanted = true;
    else task.status = 'skipped';
    return true;
  }

  #startOne(): boolean {
    if (this.isPaused) return false;
    const startable = [...this.#tasks.values()]
      .filter((task) => this.#isDue(task) && this.#hasRoom(task))
      .sort((a, b) => b.spec.priority - a.spec.priority);
    const [first] = startable;
    if (first !== undefined) first.status = 'running';
    return first !== undefined;
  }

  #isDue(task: Reference): boolean {
    return (
      (task.status === 'pending' && task.wanted) || (task.status === 'delayed' && task.until <= this.now)
    );
  }

  #hasRoom({ spec }: Reference): boolean {
    const running = [...this.#tasks.values()].filter(({ status }) => status === 'running');
    if (running.length >= (this.#workflow.maxParallel ?? Infinity)) return false;
    return !running.some((other) => other.spec.locks.some((lock) => spec.locks.includes(lock)));
  }

  #shouldRun({ spec }: Reference): boolean {
    const needs = spec.needs.map((name) => this.#tasks.get(name)!);
    const success = needs.every(isGood);
    const { if: condition } = spec;
    if (condition === undefined) return success;
    return this.#holds(condition, { success, failure: this.#hasFailedAncestor(spec) });
  }

  #holds(condition: Condition, { success, failure }: { success: boolean; failure: boolean }): boolean {
    if (isFunctionRef(condition)) return success && this.#closures[condition.$function]!();
    if (condition === 'always()') return true;
    return condition === 'failure()' ? failure : success;
  }

  #hasFailedAncestor({ needs }: TaskSpec): boolean {
    return needs.some((name) => {
      const need = this.#tasks.get(name)!;
      return isFailure(need) || this.#hasFailedAncestor(need.spec);
    });
  }

  #endAttempt(task: Reference, outcome: Outcome): void {
    if (outcome.type === 'failed') return this.#fail(task, outcome);
    if (outcome.type === 'succeeded' || outcome.type === 'cancelled') task.status = outcome.type;
    else if (this.#isDoomed(task)) task.status = 'cancelled';
    else if (outcome.type === 'interrupted')
      task.status = task.spec.onInterrupt === 'ask' ? 'held' : 'pending';
    else this.#delay(task, outcome.until);
  }

  #fail(task: Reference, { failure }: Extract<Outcome, { type: 'failed' }>): void {
    task.failures++;
    const { retry, onInterrupt } = task.spec;
    const again = failure.retryable && task.failures < retry.attempts && onInterrupt !== 'ask';
    if (again && !this.#isDoomed(task))
      this.#delay(task, this.now + retry.backoffMs * 2 ** (task.failures - 1));
    else task.status = 'failed';
  }

  #delay(task: Reference, until: number): void {
    task.status = 'delayed';
    task.until = until;
  }

  #isDoomed({ spec }: Reference): boolean {
    if (this.isCancelled) return true;
    const cleansUp = spec.if === 'failure()' || spec.if === 'always()';
    return this.#workflow.failFast && !cleansUp && this.#find(isFailure) !== undefined;
  }

  #needsOf({ spec }: Reference): Reference[] {
    return spec.needs.map((name) => this.#tasks.get(name)!);
  }

  #find(wanted: (task: Reference) => boolean): Reference | undefined {
    return [...this.#tasks.values()].find(wanted);
  }
}

function isOver({ status }: Reference): boolean {
  return ends.has(status);
}

function isFailure({ status, spec }: Reference): boolean {
  return status === 'failed' && !spec.continueOnError;
}

function isGood({ status, spec }: Reference): boolean {
  return status === 'succeeded' || (status === 'failed' && spec.continueOnError);
}
