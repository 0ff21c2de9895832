/** What must hold of every journal, whatever the workflow: looked up in the events alone, not in the kernel's state. */
import type { Commit, Event, EventOf, TaskSpec, Workflow } from '../../src/model/index.ts';
import { WaitingWatcher } from './waiting-laws.ts';

interface Known {
  readonly spec: TaskSpec;
  readonly scope: string;
  readonly needs: readonly string[];
  /** Of an item. */
  readonly parent?: string;
}

interface Scope {
  readonly workflow: Workflow;
  readonly visits: Map<string, number>;
  visit?: string;
}

/** Everything in the journal that must not be there, in words. */
export function breaches(journal: readonly Commit[]): string[] {
  const watcher = new Watcher();
  for (const commit of journal) for (const event of commit.events) watcher.see(event, commit);
  return watcher.found;
}

class Watcher {
  readonly found: string[] = [];
  readonly #tasks = new Map<string, Known>();
  readonly #scopes = new Map<string, Scope>();
  readonly #settled = new Set<string>();
  /** Attempt by task. */
  readonly #running = new Map<string, string>();
  readonly #attempts = new Set<string>();
  /** Tasks of which there was an attempt since they were made, or reopened. */
  readonly #attempted = new Set<string>();
  readonly #opened = new Set<string>();
  readonly #cancelled = new Set<string>();
  readonly #waiting = new WaitingWatcher({
    breach: (what) => this.#breach(what),
    resourcesOf: (task) => this.#tasks.get(task)!.spec.resources ?? [],
  });
  #isPaused = false;
  /** What an operator has set for the run; undefined: as the workflow says. */
  #setParallel: number | undefined;
  #isOver = false;
  #place = '';

  see(event: Event, { seq, at }: Commit): void {
    this.#place = `${event.type} ${'task' in event ? (event.task ?? '') : ''} @${seq}`;
    if (this.#isOver && event.type !== 'command.decided' && event.type !== 'tasks.reopened')
      this.#breach('happens after the end of the run');
    this.#waiting.see(event, at);
    if (event.type.startsWith('run.')) this.#seeRun(event);
    else if (event.type === 'tasks.reopened') this.#reopen(event.data);
    else if (event.type === 'limits.changed') this.#setLimits(event);
    else if (event.type.startsWith('task.')) this.#seeTask(event as Event & { task: string });
    else this.#seeOther(event);
  }

  #seeRun(event: Event): void {
    if (event.type === 'run.created') this.#open('', event.data.workflow);
    else if (event.type === 'run.paused') this.#isPaused = true;
    else if (event.type === 'run.resumed') this.#isPaused = false;
    else this.#end(event);
  }

  #end(event: Event): void {
    this.#isOver = true;
    this.#isPaused = false;
    if (event.type === 'run.failed' && event.data.failure.code === 'STUCK') this.#breach('is a defect');
    if (this.#running.size > 0) this.#breach('leaves attempts running');
    for (const task of this.#tasks.keys())
      if (!this.#settled.has(task)) this.#breach(`leaves ${task} unsettled`);
  }

  #seeTask({ type, task }: Event & { task: string }): void {
    if (!this.#tasks.has(task)) this.#breach('concerns an unknown task');
    if (this.#settled.has(task)) this.#breach('changes a settled task');
    if (this.#running.has(task)) this.#breach('changes a task whose attempt has not ended');
    if (type === 'task.delayed' || type === 'task.held' || type === 'task.released') return;
    this.#settled.add(task);
    for (const inner of this.#tasks.keys())
      if (this.#isWithin(inner, task) && !this.#settled.has(inner))
        this.#breach(`comes before ${inner} settled`);
  }

  #setLimits({ data: { changes } }: EventOf<'limits.changed'>): void {
    for (const { to } of changes) this.#setParallel = to === 'none' ? Infinity : to;
  }

  #seeOther(event: Event): void {
    switch (event.type) {
      case 'attempt.started':
        return this.#start(event.task, event.attempt);
      case 'attempt.ended':
        if (this.#running.get(event.task) !== event.attempt) this.#breach('ends what does not run');
        this.#running.delete(event.task);
        return;
      case 'scope.opened':
        this.#occupy(event.task!);
        return this.#open(
          event.task!,
          (this.#tasks.get(event.task!)!.spec.work as { workflow: Workflow }).workflow,
        );
      case 'tasks.expanded':
        return this.#expand(event.task, event.data.items);
      case 'edge.taken':
        return this.#visit(event.task ?? '', event.data.to);
      case 'cancel.requested':
        this.#cancelled.add(event.task ?? '');
    }
  }

  /** What consisted of the tasks that are done again is gone with all that it consisted of. */
  #reopen({ tasks, continued }: EventOf<'tasks.reopened'>['data']): void {
    this.#isOver = false;
    this.#cancelled.clear();
    const gone = new Set(tasks);
    for (const [address, { scope, parent }] of this.#tasks) {
      if (!gone.has(parent ?? scope)) continue;
      gone.add(address);
      this.#tasks.delete(address);
    }
    for (const address of gone) this.#forget(address);
    for (const address of continued) this.#settled.delete(address);
    this.#checkConsequences(tasks);
  }

  #forget(address: string): void {
    if (this.#running.has(address)) this.#breach(`reopens ${address}, which runs`);
    this.#scopes.delete(address);
    this.#waiting.forget(address);
    for (const known of [this.#settled, this.#opened, this.#attempted]) known.delete(address);
  }

  #checkConsequences(reopened: readonly string[]): void {
    for (const address of this.#attempted) {
      const need = this.#tasks.get(address)!.needs.find((needed) => reopened.includes(needed));
      if (need !== undefined) this.#breach(`leaves ${address}, which came of ${need}`);
    }
  }

  #open(owner: string, workflow: Workflow): void {
    this.#scopes.set(owner, { workflow, visits: new Map() });
    if (workflow.form === 'graph') return;
    for (const spec of workflow.tasks) {
      const needs = spec.needs.map((need) => join(owner, need));
      this.#tasks.set(join(owner, spec.name), { spec, scope: owner, needs });
    }
  }

  #expand(task: string, items: readonly { readonly key: string }[]): void {
    const { spec, scope } = this.#tasks.get(task)!;
    if (items.some(({ key }) => this.#tasks.has(`${task}[${key}]`))) this.#breach('happens twice');
    this.#checkNeeds(task);
    for (const { key } of items) this.#tasks.set(`${task}[${key}]`, { spec, scope, needs: [], parent: task });
  }

  #visit(owner: string, to: string): void {
    const scope = this.#scopes.get(owner)!;
    if (scope.visit !== undefined && !this.#settled.has(scope.visit))
      this.#breach('leaves an unsettled visit');
    if (to === 'end') return;
    const count = (scope.visits.get(to) ?? 0) + 1;
    scope.visits.set(to, count);
    scope.visit = `${join(owner, to)}#${count}`;
    const spec = scope.workflow.tasks.find(({ name }) => name === to)!;
    this.#tasks.set(scope.visit, { spec, scope: owner, needs: [] });
  }

  #start(task: string, attempt: string): void {
    if (this.#attempts.has(attempt)) this.#breach('uses the id of another attempt');
    this.#attempts.add(attempt);
    this.#attempted.add(task);
    this.#occupy(task);
    this.#running.set(task, attempt);
    for (const scope of this.#scopesAround(task)) {
      const running = [...this.#running.keys()].filter((other) => this.#isWithin(other, scope)).length;
      if (running > this.#maxParallel(scope))
        this.#breach(`is one too many in the scope of ${scope || 'the run'}`);
    }
  }

  #maxParallel(scope: string): number {
    const defined = this.#scopes.get(scope)!.workflow.maxParallel ?? Infinity;
    return scope === '' ? (this.#setParallel ?? defined) : defined;
  }

  /** Starts to hold what it needs: for an attempt, or for as long as its own tasks take. */
  #occupy(task: string): void {
    if (this.#isPaused) this.#breach('begins while the run is paused');
    if (this.#settled.has(task)) this.#breach('begins a settled task');
    if (this.#running.has(task) || this.#opened.has(task)) this.#breach('begins what has begun');
    if (this.#scopesAround(task).some((scope) => this.#cancelled.has(scope)))
      this.#breach('begins after a cancel');
    if (this.#tasks.get(task)!.spec.approval !== undefined && !this.#waiting.isApproved(task))
      this.#breach('begins without approval');
    this.#checkNeeds(task);
    this.#checkLocks(task);
    if (this.#tasks.get(task)!.spec.work.type === 'workflow') this.#opened.add(task);
    this.#checkItems(task);
  }

  #checkNeeds(task: string): void {
    for (const need of this.#tasks.get(task)!.needs)
      if (!this.#settled.has(need)) this.#breach(`begins before ${need} has settled`);
  }

  #checkLocks(task: string): void {
    const { locks } = this.#tasks.get(task)!.spec;
    for (const other of this.#occupants()) {
      if (other === task || this.#isWithin(task, other)) continue;
      const shared = this.#tasks.get(other)!.spec.locks.filter((lock) => locks.includes(lock));
      if (shared.length > 0) this.#breach(`takes ${shared.join()}, which ${other} holds`);
    }
  }

  #checkItems(task: string): void {
    const { parent, spec } = this.#tasks.get(task)!;
    if (parent === undefined) return;
    const holding = this.#occupants().filter((other) => this.#tasks.get(other)!.parent === parent);
    const all = new Set([...holding, task]);
    if (all.size > (spec.forEach!.maxParallel ?? Infinity)) this.#breach(`is one item too many of ${parent}`);
  }

  #occupants(): string[] {
    const open = [...this.#opened].filter((task) => !this.#settled.has(task));
    return [...this.#running.keys(), ...open];
  }

  /** Owners of the scopes around a task, innermost first. */
  #scopesAround(task: string): string[] {
    const { scope } = this.#tasks.get(task)!;
    return scope === '' ? [''] : [scope, ...this.#scopesAround(scope)];
  }

  #isWithin(task: string, owner: string): boolean {
    const { parent, scope } = this.#tasks.get(task)!;
    if (scope === owner || parent === owner || owner === '') return true;
    return scope !== '' && (scope === owner || this.#isWithin(scope, owner));
  }

  #breach(what: string): void {
    this.found.push(`${this.#place} ${what}`);
  }
}

function join(owner: string, name: string): string {
  return owner === '' ? name : `${owner}.${name}`;
}
