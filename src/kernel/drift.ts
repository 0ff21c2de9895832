import { hashJson, type Json } from '../base/index.ts';
import type { TaskSpec, Workflow } from '../model/index.ts';
import { addTaskOfScope } from './new-tasks.ts';
import { rebuildAgenda } from './rebuild-agenda.ts';
import { recountNeeds } from './recount.ts';
import { scopeAt, taskAt, type RunState } from './run-state.ts';
import { indexOf, specOf } from './workflow-index.ts';

/** One task that is not as it was when the run was started. */
export interface Drift {
  readonly task: string;
  readonly change: 'changed' | 'added' | 'removed';
  /** The run has begun or finished it: it cannot be changed any more. */
  readonly begun: boolean;
}

/** How a definition differs from the one the run keeps. Empty if it does not, or only in what concerns no task. */
export function driftOf(state: RunState, given: Workflow): Drift[] {
  if (given.hash === state.workflow.hash) return [];
  const sameForm = given.form === state.workflow.form;
  const before = indexOf(state.workflow).specs;
  const after = indexOf(given).specs;
  const drifts: Drift[] = [];
  for (const [name, spec] of before) {
    const now = after.get(name);
    if (now !== undefined && sameForm && sameSpec(spec, now)) continue;
    drifts.push({
      task: name,
      change: now === undefined ? 'removed' : 'changed',
      begun: !sameForm || isBegun(state, name),
    });
  }
  for (const name of after.keys()) {
    if (!before.has(name)) drifts.push({ task: name, change: 'added', begun: false });
  }
  return drifts;
}

function sameSpec(a: TaskSpec, b: TaskSpec): boolean {
  return hashJson(a as unknown as Json) === hashJson(b as unknown as Json);
}

function isBegun(state: RunState, name: string): boolean {
  const { graph } = scopeAt(state, '');
  if (graph !== undefined) return graph.visits.has(name);
  const { life, key } = taskAt(state, name);
  return life.status !== 'pending' || key !== undefined;
}

/** Goes on with another definition of what has not begun. The caller has made sure that nothing else differs. */
export function adoptWorkflow(state: RunState, workflow: Workflow): void {
  const scope = scopeAt(state, '');
  state.workflow = workflow;
  scope.workflow = workflow;
  if (scope.graph === undefined) replaceTasks(state, workflow);
  rebuildAgenda(state);
}

function replaceTasks(state: RunState, workflow: Workflow): void {
  const scope = scopeAt(state, '');
  const { specs } = indexOf(workflow);
  for (const task of [...state.tasks.values()].filter(
    ({ scope, item }) => scope === '' && item === undefined,
  )) {
    if (specs.has(task.spec.name)) task.spec = specOf(workflow, task.spec.name);
    else removeTask(state, task.address);
  }
  for (const spec of workflow.tasks) if (!state.tasks.has(spec.name)) addTaskOfScope(state, scope, spec);
  recountNeeds(
    state,
    workflow.tasks.map(({ name }) => taskAt(state, name)),
  );
}

function removeTask(state: RunState, address: string): void {
  state.tasks.delete(address);
  state.counts.total--;
  scopeAt(state, '').unsettled--;
}
