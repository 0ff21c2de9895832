import type { Json, JsonObject } from '../base/index.ts';
import type { Failure, TaskStatus, Variables } from '../model/index.ts';
import {
  addressOf,
  scopeAt,
  statusOfTask,
  taskAt,
  type GroupState,
  type RunState,
  type ScopeState,
  type TaskState,
} from './run-state.ts';
import { isSettled, type Life } from './life.ts';

/** What an expression sees of a task. `output` is there only if it succeeded. */
export interface TaskView {
  readonly status: TaskStatus;
  readonly output?: Json;
  readonly error?: Failure;
  /** Of a for-each. */
  readonly items?: readonly ItemView[];
  readonly outputs?: readonly Json[];
}

export interface ItemView extends TaskView {
  readonly key: string;
  readonly item: Json;
}

/** What the expressions of one task see. */
export function variablesOf(state: RunState, task: TaskState): Variables {
  const scope = scopeAt(state, task.scope);
  const around = scopeVariables(state, scope);
  return {
    ...around,
    ...itemVariables(task),
    tasks: together(around.tasks, views(state, scope, task.spec.reads)),
    needs: views(state, scope, task.spec.needs),
    $status: { success: !task.needFailed, failure: task.ancestorFailed },
  };
}

/** What the expressions of a scope itself see: its `outputs`. */
export function variablesOfScope(state: RunState, scope: ScopeState): Variables {
  const names = scope.graph === undefined ? scope.workflow.tasks.map(({ name }) => name) : [];
  const around = scopeVariables(state, scope);
  return { ...around, tasks: together(around.tasks, views(state, scope, names)) };
}

interface ScopeVariables {
  readonly [name: string]: unknown;
  /** Those around an inline body. */
  readonly tasks?: Views;
}

function scopeVariables(state: RunState, scope: ScopeState): ScopeVariables {
  const own = {
    run: { id: state.run },
    inputs: scope.inputs,
    ...(scope.graph && { state: scope.graph.state }),
  };
  if (scope.owner === '') return own;
  const owner = taskAt(state, scope.owner);
  const { work } = owner.spec;
  if (work.type !== 'workflow' || !work.inherits) return own;
  const outer = variablesOf(state, owner);
  return { ...outer, ...own, inputs: outer['inputs'] };
}

function itemVariables(task: TaskState): Record<string, unknown> {
  return task.item === undefined ? {} : { key: task.item.key, [task.spec.forEach!.as]: task.item.value };
}

/** A name means the nearest task. */
function together(outer: Views | undefined, own: Views): Views {
  if (outer === undefined) return own;
  return Object.keys(own).length === 0 ? outer : { ...outer, ...own };
}

type Views = Readonly<Record<string, TaskView>>;
const noViews: Views = Object.freeze({});

/** By scope and list of names. Kept once all of them have settled: many items of one for-each may read many tasks. */
const knownViews = new WeakMap<ScopeState, WeakMap<readonly string[], Views>>();

function views(state: RunState, scope: ScopeState, names: readonly string[]): Views {
  if (names.length === 0) return noViews;
  const known = knownViews.get(scope)?.get(names);
  if (known !== undefined) return known;
  const tasks = names.flatMap((name) => state.tasks.get(addressOf(scope.owner, name)) ?? []);
  const found = Object.freeze(Object.fromEntries(tasks.map((task) => [task.spec.name, viewOf(state, task)])));
  if (tasks.every(({ life }) => isSettled(life))) keepViews(scope, names, found);
  return found;
}

function keepViews(scope: ScopeState, names: readonly string[], found: Views): void {
  let ofScope = knownViews.get(scope);
  if (ofScope === undefined) knownViews.set(scope, (ofScope = new WeakMap()));
  ofScope.set(names, found);
}

/** Something that had settled is to be done again. */
export function forgetViews(scope: ScopeState): void {
  knownViews.delete(scope);
}

/** What has settled does not change any more, and what is done again gets another life. */
const settledViews = new WeakMap<Life, TaskView>();

export function viewOf(state: RunState, task: TaskState): TaskView {
  const known = settledViews.get(task.life);
  if (known !== undefined) return known;
  const view = Object.freeze(makeView(state, task));
  if (isSettled(task.life)) settledViews.set(task.life, view);
  return view;
}

function makeView(state: RunState, task: TaskState): TaskView {
  const output = outputOf(state, task);
  return {
    status: statusOfTask(task),
    ...(output !== undefined && { output }),
    ...(task.life.status === 'failed' && { error: task.life.failure }),
    ...(task.group !== undefined && {
      items: itemViews(state, task.group),
      outputs: outputsOfItems(state, task.group),
    }),
  };
}

function itemViews(state: RunState, group: GroupState): readonly ItemView[] {
  return group.items.map((address) => {
    const task = taskAt(state, address);
    return { key: task.item!.key, item: task.item!.value, ...viewOf(state, task) };
  });
}

/** Of those that succeeded, in the order of the list. */
export function outputsOfItems(state: RunState, group: GroupState): readonly Json[] {
  return group.items
    .map((address) => taskAt(state, address))
    .filter(({ life }) => life.status === 'succeeded')
    .map((task) => outputOf(state, task) ?? null);
}

/** What a task gave. Of a for-each it is the list of its items' outputs, of a nested workflow without `outputs` all its tasks'. */
export function outputOf(state: RunState, task: TaskState): Json | undefined {
  if (task.life.status !== 'succeeded') return undefined;
  if (task.life.output !== undefined) return task.life.output;
  if (task.group !== undefined) return outputsOfItems(state, task.group);
  const scope = state.scopes.get(task.address);
  return scope === undefined ? null : outputsOfScope(state, scope);
}

/** Without `outputs` of its own, a scope gives every task's output by name; a graph its state. */
export function outputsOfScope(state: RunState, scope: ScopeState): JsonObject {
  if (scope.graph !== undefined) return scope.graph.state;
  const outputs: Record<string, Json> = {};
  for (const { name } of scope.workflow.tasks) {
    const output = outputOf(state, taskAt(state, addressOf(scope.owner, name)));
    if (output !== undefined) outputs[name] = output;
  }
  return outputs;
}
