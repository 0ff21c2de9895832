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
  /** There was an attempt. */
  begun: boolean;
  approved: boolean;
  /** Held because it asks, not because of what happened to it. */
  isGate: boolean;
  /** Delayed because of its breaker. */
  waitsFor: string | undefined;
}

interface Breaker {
  failures: number;
  openings: number;
  /** Absent: closed. */
  until?: number;
  trial?: Reference;
}

const unbegun = {
  status: 'pending',
  wanted: false,
  until: 0,
  failures: 0,
  begun: false,
  approved: false,
  isGate: false,
  waitsFor: undefined,
} as const;

const ends: ReadonlySet<Status> = new Set(['succeeded', 'failed', 'skipped', 'cancelled']);

export class ReferenceRun {
  now: number;
  isPaused = false;
  isCancelled = false;
  /** How many may run at once. */
  maxParallel: number;
  readonly #workflow: Workflow;
  readonly #tasks: Map<string, Reference>;
  readonly #breakers: Map<string, Breaker>;
  readonly #closures: Readonly<Record<string, () => boolean>>;

  constructor(
    workflow: Workflow,
    { now, closures }: { now: number; closures: Readonly<Record<string, () => boolean>> },
  ) {
    this.now = now;
    this.#workflow = workflow;
    this.maxParallel = workflow.maxParallel ?? Infinity;
    this.#closures = closures;
    this.#tasks = new Map(workflow.tasks.map((spec) => [spec.name, { spec, ...unbegun }]));
    this.#breakers = new Map(
      Object.keys(workflow.breakers ?? {}).map((name) => [name, { failures: 0, openings: 0 }]),
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
    if (this.status !== 'active') return;
    if (task.status === 'failed') return this.goOnWithout(name);
    if (!isOver(task) && task.status !== 'running') task.status = 'skipped';
    this.#goOn();
  }

  /** What has failed is given up, maybe after the end. Without what may fail the run goes on anyway. */
  goOnWithout(name: string): void {
    const task = this.#tasks.get(name)!;
    if (task.status !== 'failed' || task.spec.continueOnError) return;
    if (this.#reopen(task)) task.status = 'skipped';
    this.#goOn();
  }

  retry(name: string): void {
    const task = this.#tasks.get(name)!;
    if (this.status !== 'active') return;
    if (task.status === 'held' && !task.isGate) task.status = 'pending';
    else if (task.status === 'delayed') this.#hasten(task);
    else if (task.status === 'failed') this.#reopen(task);
    this.#goOn();
  }

  decide(name: string, approved: boolean): void {
    const task = this.#tasks.get(name)!;
    if (this.status !== 'active' || task.status !== 'held' || !task.isGate) return;
    task.isGate = false;
    task.approved = approved;
    task.wanted = approved;
    task.status = approved ? 'pending' : 'failed';
    this.#goOn();
  }

  /** Something that has settled is to run again with all that depends on it, succeeded or not, maybe after the end. */
  reopen(name: string): void {
    const task = this.#tasks.get(name)!;
    if (task.status !== 'running' && isTouched(task)) this.#reopen(task, { rerunsSucceeded: true });
    this.#goOn();
  }

  setPaused(paused: boolean): void {
    this.isPaused = paused;
    this.#goOn();
  }

  /** Undefined: as the workflow has it. */
  setMaxParallel(to: number | 'none' | undefined): void {
    if (this.status !== 'active') return;
    this.maxParallel = to === 'none' ? Infinity : (to ?? this.#workflow.maxParallel ?? Infinity);
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
    if (!this.#shouldRun(task)) task.status = 'skipped';
    else if (task.spec.approval === undefined) task.wanted = true;
    else Object.assign(task, { status: 'held', isGate: true });
    return true;
  }

  #startOne(): boolean {
    if (this.isPaused) return false;
    const startable = [...this.#tasks.values()]
      .filter((task) => this.#isDue(task) && this.#hasRoom(task))
      .sort((a, b) => b.spec.priority - a.spec.priority);
    const [first] = startable;
    if (first !== undefined) this.#start(first);
    return first !== undefined;
  }

  #start(task: Reference): void {
    const waits = this.#breakersOf(task).flatMap(([name, breaker]) => this.#waitFor(name, breaker) ?? []);
    const [longest] = waits.sort((a, b) => b.until - a.until);
    if (longest !== undefined) return this.#delay(task, longest.until, longest.name);
    Object.assign(task, { status: 'running', begun: true, waitsFor: undefined });
    for (const [, breaker] of this.#breakersOf(task)) if (breaker.until !== undefined) breaker.trial = task;
  }

  #waitFor(name: string, { until, trial }: Breaker): { name: string; until: number } | undefined {
    if (until === undefined) return undefined;
    if (until > this.now) return { name, until };
    return trial === undefined ? undefined : { name, until: this.now + this.#longestCooldown(name) };
  }

  #longestCooldown(name: string): number {
    return Math.max(this.#workflow.breakers![name]!.maxCooldownMs, 1_000);
  }

  #breakersOf({ spec }: Reference): [string, Breaker][] {
    return (spec.resources ?? []).map((name) => [name, this.#breakers.get(name)!]);
  }

  #hasten(task: Reference): void {
    const breakers = this.#breakersOf(task);
    if (breakers.some(([, { trial }]) => trial !== undefined)) return;
    for (const [, breaker] of breakers)
      if (breaker.until !== undefined) breaker.until = Math.min(breaker.until, this.now);
    Object.assign(task, { status: 'pending', waitsFor: undefined });
  }

  /** Whoever waits for this resource waits until then. */
  #waitAll(name: string, until: number): void {
    for (const task of this.#tasks.values())
      if (task.status === 'delayed' && task.waitsFor === name) task.until = until;
  }

  #open(name: string, breaker: Breaker): void {
    const { cooldownMs, maxCooldownMs } = this.#workflow.breakers![name]!;
    breaker.until = this.now + Math.min(cooldownMs * 2 ** breaker.openings++, maxCooldownMs);
    this.#waitAll(name, breaker.until);
  }

  #close(name: string): void {
    this.#waitAll(name, this.now);
    for (const task of this.#tasks.values()) if (task.waitsFor === name) task.waitsFor = undefined;
    this.#breakers.set(name, { failures: 0, openings: 0 });
  }

  /** What the end of an attempt says of the resources it used. */
  #judge(task: Reference, outcome: Outcome): void {
    const verdict = verdictOf(outcome);
    for (const [name, breaker] of this.#breakersOf(task)) {
      const isTrial = breaker.trial === task;
      if (isTrial) delete breaker.trial;
      if (verdict === 'out of order') this.#trip(name, breaker, isTrial);
      else if (isTrial && verdict === undefined) this.#waitAll(name, this.now);
      else if (isTrial) this.#close(name);
      else if (verdict === 'works' && breaker.until === undefined) breaker.failures = 0;
    }
  }

  #trip(name: string, breaker: Breaker, wasTrial: boolean): void {
    breaker.failures++;
    const { until, trial, failures } = breaker;
    const isTooMany = until === undefined && failures >= this.#workflow.breakers![name]!.failures;
    const isTrial = wasTrial || (trial === undefined && until !== undefined && until <= this.now);
    if (isTrial || isTooMany) this.#open(name, breaker);
  }

  /** What has succeeded runs again only where that was agreed to. */
  #reopen(named: Reference, { rerunsSucceeded = false } = {}): boolean {
    const again = this.#consequencesOf(named);
    const refused = new Set(rerunsSucceeded ? ['running'] : ['running', 'succeeded']);
    if ([...again].some(({ status }) => refused.has(status))) return false;
    if (this.#isStopping() || this.#wouldBeStopped(again)) return false;
    if (this.status !== 'active') this.isPaused = false;
    for (const task of this.#allAfter(again)) task.wanted = false;
    for (const task of again) Object.assign(task, unbegun);
    this.isCancelled = false;
    return true;
  }

  /** A cancel or a failure is just stopping others. */
  #isStopping(): boolean {
    if (this.status !== 'active') return false;
    return (
      this.isCancelled ||
      this.#find((task) => task.status === 'running' && this.#isDoomed(task)) !== undefined
    );
  }

  /** What was cancelled is done too, and all that came of any of these. */
  #consequencesOf(named: Reference): Set<Reference> {
    const again = new Set([named]);
    for (const task of this.#tasks.values()) if (task.status === 'cancelled') again.add(task);
    for (let size = -1; size !== again.size;) {
      size = again.size;
      for (const task of this.#allAfter(again)) if (isTouched(task)) again.add(task);
    }
    return again;
  }

  #allAfter(again: ReadonlySet<Reference>): Reference[] {
    const origins = [...again].filter(isOver);
    return [...this.#tasks.values()].filter((task) =>
      origins.some((origin) => this.#comesAfter(task, origin)),
    );
  }

  #wouldBeStopped(again: ReadonlySet<Reference>): boolean {
    if (!this.#workflow.failFast || [...again].every(cleansUp)) return false;
    return this.#find((task) => !again.has(task) && isFailure(task)) !== undefined;
  }

  #comesAfter({ spec }: Reference, origin: Reference): boolean {
    return spec.needs.some((name) => {
      const need = this.#tasks.get(name)!;
      return need === origin || this.#comesAfter(need, origin);
    });
  }

  #isDue(task: Reference): boolean {
    return (
      (task.status === 'pending' && task.wanted) || (task.status === 'delayed' && task.until <= this.now)
    );
  }

  #hasRoom({ spec }: Reference): boolean {
    const running = [...this.#tasks.values()].filter(({ status }) => status === 'running');
    if (running.length >= this.maxParallel) return false;
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
    this.#judge(task, outcome);
    if (outcome.type === 'failed') return this.#fail(task, outcome);
    if (outcome.type === 'succeeded' || outcome.type === 'cancelled') task.status = outcome.type;
    else if (this.#isDoomed(task)) task.status = 'cancelled';
    else if (outcome.type === 'interrupted')
      task.status = task.spec.onInterrupt === 'ask' ? 'held' : 'pending';
    else if (outcome.type === 'delayed') this.#delay(task, outcome.until);
  }

  #fail(task: Reference, { failure }: Extract<Outcome, { type: 'failed' }>): void {
    const { retry, onInterrupt } = task.spec;
    const again = failure.retryable && onInterrupt !== 'ask' && !this.#isDoomed(task);
    const waits = this.#breakersOf(task).flatMap(([name, breaker]) => this.#waitFor(name, breaker) ?? []);
    const [longest] = waits.sort((a, b) => b.until - a.until);
    if (again && failure.code === 'ECONNRESET' && longest !== undefined)
      return this.#delay(task, longest.until, longest.name);
    task.failures++;
    if (again && task.failures < retry.attempts)
      this.#delay(task, this.now + retry.backoffMs * 2 ** (task.failures - 1));
    else task.status = 'failed';
  }

  #delay(task: Reference, until: number, waitsFor?: string): void {
    task.status = 'delayed';
    task.until = until;
    task.waitsFor = waitsFor;
  }

  #isDoomed(task: Reference): boolean {
    if (this.isCancelled) return true;
    return this.#workflow.failFast && !cleansUp(task) && this.#find(isFailure) !== undefined;
  }

  #needsOf({ spec }: Reference): Reference[] {
    return spec.needs.map((name) => this.#tasks.get(name)!);
  }

  #find(wanted: (task: Reference) => boolean): Reference | undefined {
    return [...this.#tasks.values()].find(wanted);
  }
}

function verdictOf(outcome: Outcome): 'works' | 'out of order' | 'unclear' | undefined {
  if (outcome.type === 'succeeded') return 'works';
  if (outcome.type !== 'failed') return undefined;
  if (outcome.failure.code === 'ECONNRESET') return 'out of order';
  return outcome.failure.retryable ? 'unclear' : 'works';
}

function isTouched(task: Reference): boolean {
  return isOver(task) || task.status === 'delayed' || task.begun || task.approved || task.isGate;
}

function cleansUp({ spec }: Reference): boolean {
  return spec.if === 'failure()' || spec.if === 'always()';
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
