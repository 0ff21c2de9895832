import { freezeParsed } from '../base/index.ts';
import type { TaskSpec, Workflow } from '../model/index.ts';
import { definedSpec } from './adopt-workflow.ts';
import { Agenda } from './agenda.ts';
import { rebuildAgenda } from './rebuild-agenda.ts';
import { scopeAt, type BreakerState, type RunState, type ScopeState, type TaskState } from './run-state.ts';
import { specOf } from './workflow-index.ts';

/** Of what `encodeState` writes: a snapshot of another format is not used, the journal is folded instead. */
export const snapshotFormat = 16;

/** Of the spec only the name, if the definition has the rest. `own`: which of those that it does not have. */
type EncodedTask = Omit<TaskState, 'spec'> & { readonly spec: string; readonly own?: number };
type EncodedScope = Omit<ScopeState, 'workflow' | 'graph'> & { readonly graph?: EncodedGraph };
type EncodedGraph = Omit<NonNullable<ScopeState['graph']>, 'visits'> & {
  readonly visits: [string, number][];
};
type EncodedState = Omit<RunState, 'agenda' | 'scopes' | 'tasks' | 'breakers'> & {
  readonly scopes: EncodedScope[];
  readonly tasks: EncodedTask[];
  readonly specs?: readonly TaskSpec[];
  readonly breakers: [string, BreakerState][];
};

export function encodeState(state: RunState): string {
  const { agenda: _, scopes, tasks, breakers, ...facts } = state;
  const own = new Map<TaskSpec, number>();
  const encoded: EncodedState = {
    ...facts,
    breakers: [...breakers],
    scopes: [...scopes.values()].map(encodeScope),
    tasks: [...tasks.values()].map((task) => encodeTask(state, task, own)),
    ...(own.size > 0 && { specs: [...own.keys()] }),
  };
  return JSON.stringify(encoded);
}

function encodeTask(state: RunState, task: TaskState, own: Map<TaskSpec, number>): EncodedTask {
  const { spec } = task;
  if (definedSpec(state, task) === spec) return { ...task, spec: spec.name };
  if (!own.has(spec)) own.set(spec, own.size);
  return { ...task, spec: spec.name, own: own.get(spec)! };
}

function encodeScope({ workflow: _, graph, ...scope }: ScopeState): EncodedScope {
  return graph === undefined ? scope : { ...scope, graph: { ...graph, visits: [...graph.visits] } };
}

export function decodeState(text: string): RunState {
  const { scopes, tasks, breakers, specs = [], ...facts } = JSON.parse(text) as EncodedState;
  freezeParsed(specs);
  const state: RunState = {
    ...facts,
    workflow: freezeParsed(facts.workflow),
    ...(facts.about !== undefined && { about: freezeParsed(facts.about) }),
    phase: freezeParsed(facts.phase),
    breakers: new Map(breakers),
    scopes: new Map(),
    tasks: new Map(),
    agenda: new Agenda(),
  };
  for (const task of tasks) state.tasks.set(task.address, decodeTask(task));
  const byScope = Map.groupBy(tasks, ({ scope }) => scope);
  for (const scope of scopes) {
    decodeScope(state, scope);
    for (const task of byScope.get(scope.owner) ?? []) decodeSpec(state, task, specs);
  }
  rebuildAgenda(state);
  return state;
}

/** In place: there may be thousands, and nobody else knows them yet. Which spec is meant is known when its scope is. */
function decodeTask(task: EncodedTask): TaskState {
  freezeParsed(task.life);
  freezeParsed(task.stage);
  freezeParsed(task.item);
  freezeParsed(task.answers);
  return task as object as TaskState;
}

/** Scopes come in the order they were opened, so the task that owns one has its spec already. */
function decodeScope(state: RunState, { graph, ...scope }: EncodedScope): void {
  const workflow = scope.owner === '' ? state.workflow : nestedWorkflow(state.tasks.get(scope.owner)!);
  state.scopes.set(scope.owner, {
    ...scope,
    inputs: freezeParsed(scope.inputs),
    workflow,
    ...(graph && { graph: { ...graph, state: freezeParsed(graph.state), visits: new Map(graph.visits) } }),
  });
}

/** The task of a for-each comes before its items. */
function decodeSpec(state: RunState, task: EncodedTask, specs: readonly TaskSpec[]): void {
  const { own, spec: name } = task;
  const parent = task.item && state.tasks.get(task.item.parent);
  const spec =
    own === undefined ? (parent?.spec ?? specOf(scopeAt(state, task.scope).workflow, name)) : specs[own]!;
  Object.assign(task, { spec });
  if (own !== undefined) Reflect.deleteProperty(task, 'own');
}

function nestedWorkflow({ spec }: TaskState): Workflow {
  if (spec.work.type !== 'workflow') throw new Error(`${spec.name} has no tasks of its own`);
  return spec.work.workflow;
}
