import { sealJson, type Json, type JsonObject } from '../base/index.ts';
import type { TaskSpec, Workflow } from '../model/index.ts';
import { noConversation } from './conversation.ts';
import { addressOf, itemAddress, type RunState, type ScopeState, type TaskState } from './run-state.ts';
import { workStage } from './stage.ts';
import { newTally } from './tally.ts';
import { specOf } from './workflow-index.ts';

/** Opens a scope: its tasks exist from now on, and those that need nothing are up for a decision. */
export function openScope(
  state: RunState,
  scope: { owner: string; workflow: Workflow; inputs: JsonObject },
): void {
  const opened: ScopeState = { ...scope, unsettled: 0 };
  state.scopes.set(scope.owner, opened);
  // Its tasks are counted in place of the one that they are part of.
  if (scope.owner !== '') state.counts.total--;
  if (scope.workflow.form === 'graph') openGraph(state, opened);
  else for (const spec of scope.workflow.tasks) addTaskOfScope(state, opened, spec);
  if (scope.workflow.form === 'tasks' && opened.unsettled === 0) state.agenda.concluded.push(scope.owner);
}

function openGraph(state: RunState, scope: ScopeState): void {
  const { graph } = scope.workflow;
  scope.graph = { state: sealJson({ ...graph!.state }), step: 0, visits: new Map(), ended: false };
  state.agenda.moving.push(scope.owner);
}

export function addTaskOfScope(state: RunState, scope: ScopeState, spec: TaskSpec): void {
  scope.unsettled++;
  const address = addressOf(scope.owner, spec.name);
  addTask(state, newTask(state, { address, scope: scope.owner, spec }));
}

export function addItems(
  state: RunState,
  parent: TaskState,
  items: readonly { readonly key: string; readonly item: Json }[],
): void {
  const addresses = items.map(({ key }) => itemAddress(parent.address, key));
  if (parent.group === undefined) state.counts.total--;
  parent.group = { items: addresses, unsettled: items.length, failed: 0 };
  items.forEach(({ key, item }, index) => {
    const { scope, spec, needFailed, ancestorFailed } = parent;
    const task = newTask(state, { address: addresses[index]!, scope, spec });
    const place = { key, index, value: item, parent: parent.address };
    addTask(state, { ...task, ...generationOf(parent), needFailed, ancestorFailed, unmet: 0, item: place });
  });
  if (items.length === 0) state.agenda.concluded.push(parent.address);
}

/**
 * Adds the item with that address, if its task is known and it is not: what a run has dropped may have named it. For those who watch; who
 * decides has what was dropped in a snapshot.
 */
export function addForgottenItem(state: RunState, address: string): void {
  const [, owner = '', key = ''] = /^(.*)\[([^[\]]*)\]$/s.exec(address) ?? [];
  const parent = state.tasks.get(owner);
  if (parent?.group === undefined || state.tasks.has(address)) return;
  const { items, unsettled, failed } = parent.group;
  addItems(state, parent, [{ key: decodeURIComponent(key), item: null }]);
  parent.group = { items: [...items, address], unsettled: unsettled + 1, failed };
}

/** The n-th time a graph comes to a node. */
export function addVisit(state: RunState, scope: ScopeState, node: string): void {
  const graph = scope.graph!;
  const count = (graph.visits.get(node) ?? 0) + 1;
  graph.visits.set(node, count);
  graph.visit = `${addressOf(scope.owner, node)}#${count}`;
  const spec = specOf(scope.workflow, node);
  scope.unsettled++;
  addTask(state, newTask(state, { address: graph.visit, scope: scope.owner, spec }));
}

function newTask(
  state: RunState,
  given: { readonly address: string; readonly scope: string; readonly spec: TaskSpec },
): TaskState {
  return {
    ...given,
    version: state.version,
    order: state.counts.made++,
    life: { status: 'pending' },
    stage: workStage,
    needFailed: false,
    ancestorFailed: false,
    unmet: given.spec.needs.length,
    attempts: 0,
    tally: newTally,
    conversation: noConversation,
    approved: false,
    ...generationOf(state.tasks.get(given.scope)),
  };
}

/** What a task consists of is begun from scratch as often as the task itself. */
function generationOf(owner: TaskState | undefined): Pick<TaskState, 'generation'> {
  return owner?.generation === undefined ? {} : { generation: owner.generation };
}

function addTask(state: RunState, task: TaskState): void {
  state.tasks.set(task.address, task);
  state.counts.total++;
  if (task.unmet === 0) state.agenda.undecided.push(task.address);
}
