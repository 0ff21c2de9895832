import type { Json, JsonObject } from '../base/index.ts';
import type { Failure, TaskStatus, Variables } from '../model/index.ts';
import {
  addressOf,
  countsAsSuccess,
  scopeAt,
  statusOfTask,
  taskAt,
  type RunState,
  type ScopeState,
  type TaskState,
} from './run-state.ts';

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
  return {
    ...scopeVariables(state, scope),
    ...itemVariables(task),
    tasks: views(state, scope, task.spec.reads),
    needs: views(state, scope, task.spec.needs),
    $status: { success: needsSucceeded(state, task), failure: task.ancestorFailed },
    key: task.item?.key,
  };
}

/** What the expressions of a scope itself see: its `outputs`. */
export function variablesOfScope(state: RunState, scope: ScopeState): Variables {
  const names = scope.graph === undefined ? scope.workflow.tasks.map(({ name }) => name) : [];
  return { ...scopeVariables(state, scope), tasks: views(state, scope, names) };
}

function scopeVariables(state: RunState, scope: ScopeState): Record<string, unknown> {
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
  return task.item === undefined ? {} : { [task.spec.forEach!.as]: task.item.value };
}

function views(state: RunState, scope: ScopeState, names: readonly string[]): Record<string, TaskView> {
  const found: Record<string, TaskView> = {};
  for (const name of names) {
    const task = state.tasks.get(addressOf(scope.owner, name));
    if (task !== undefined) found[name] = viewOf(state, task);
  }
  return found;
}

export function needsSucceeded(state: RunState, task: TaskState): boolean {
  return task.spec.needs.every((need) => countsAsSuccess(taskAt(state, addressOf(task.scope, need))));
}

export function viewOf(state: RunState, task: TaskState): TaskView {
  const output = outputOf(state, task);
  return {
    status: statusOfTask(task),
    ...(output !== undefined && { output }),
    ...(task.life.status === 'failed' && { error: task.life.failure }),
    ...(task.group !== undefined && itemViews(state, task.group.items)),
  };
}

function itemViews(state: RunState, items: readonly string[]): Pick<TaskView, 'items' | 'outputs'> {
  const tasks = items.map((address) => taskAt(state, address));
  return {
    items: tasks.map((task) => ({ key: task.item!.key, item: task.item!.value, ...viewOf(state, task) })),
    outputs: tasks
      .filter(({ life }) => life.status === 'succeeded')
      .map((task) => outputOf(state, task) ?? null),
  };
}

/** What a task gave. Of a for-each it is the list of its items' outputs, of a nested workflow without `outputs` all its tasks'. */
export function outputOf(state: RunState, task: TaskState): Json | undefined {
  if (task.life.status !== 'succeeded') return undefined;
  if (task.life.output !== undefined) return task.life.output;
  if (task.group !== undefined) return itemViews(state, task.group.items).outputs as Json;
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
