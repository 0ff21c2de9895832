import { freezeParsed } from '../base/index.ts';
import type { Workflow } from '../model/index.ts';
import { Agenda } from './agenda.ts';
import { rebuildAgenda } from './rebuild-agenda.ts';
import type { BreakerState, RunState, ScopeState, TaskState } from './run-state.ts';
import { specOf } from './workflow-index.ts';

/** Of what `encodeState` writes: a snapshot of another format is not used, the journal is folded instead. */
export const snapshotFormat = 13;

/** Of the spec only the name: the workflow has the rest. */
type EncodedTask = Omit<TaskState, 'spec'> & { readonly spec: string };
type EncodedScope = Omit<ScopeState, 'workflow' | 'graph'> & { readonly graph?: EncodedGraph };
type EncodedGraph = Omit<NonNullable<ScopeState['graph']>, 'visits'> & {
  readonly visits: [string, number][];
};
type EncodedState = Omit<RunState, 'agenda' | 'scopes' | 'tasks' | 'breakers'> & {
  readonly scopes: EncodedScope[];
  readonly tasks: EncodedTask[];
  readonly breakers: [string, BreakerState][];
};

export function encodeState(state: RunState): string {
  const { agenda: _, scopes, tasks, breakers, ...facts } = state;
  const encoded: EncodedState = {
    ...facts,
    breakers: [...breakers],
    scopes: [...scopes.values()].map(encodeScope),
    tasks: [...tasks.values()].map((task) => ({ ...task, spec: task.spec.name })),
  };
  return JSON.stringify(encoded);
}

function encodeScope({ workflow: _, graph, ...scope }: ScopeState): EncodedScope {
  return graph === undefined ? scope : { ...scope, graph: { ...graph, visits: [...graph.visits] } };
}

export function decodeState(text: string): RunState {
  const { scopes, tasks, breakers, ...facts } = JSON.parse(text) as EncodedState;
  const state: RunState = {
    ...facts,
    workflow: freezeParsed(facts.workflow),
    phase: freezeParsed(facts.phase),
    breakers: new Map(breakers),
    scopes: new Map(),
    tasks: new Map(),
    agenda: new Agenda(),
  };
  for (const task of tasks) state.tasks.set(task.address, decodeTask(task));
  const byScope = Map.groupBy(tasks, ({ scope }) => scope);
  for (const scope of scopes) decodeScope(state, scope, byScope.get(scope.owner) ?? []);
  rebuildAgenda(state);
  return state;
}

/** In place: there may be thousands, and nobody else knows them yet. Which spec is meant is known when its scope is. */
function decodeTask(task: EncodedTask): TaskState {
  freezeParsed(task.life);
  freezeParsed(task.stage);
  freezeParsed(task.item);
  return task as object as TaskState;
}

/** Scopes come in the order they were opened, so the task that owns one has its spec already. */
function decodeScope(
  state: RunState,
  { graph, ...scope }: EncodedScope,
  tasks: readonly EncodedTask[],
): void {
  const workflow = scope.owner === '' ? state.workflow : nestedWorkflow(state.tasks.get(scope.owner)!);
  state.scopes.set(scope.owner, {
    ...scope,
    inputs: freezeParsed(scope.inputs),
    workflow,
    ...(graph && { graph: { ...graph, state: freezeParsed(graph.state), visits: new Map(graph.visits) } }),
  });
  for (const task of tasks) Object.assign(task, { spec: specOf(workflow, task.spec) });
}

function nestedWorkflow({ spec }: TaskState): Workflow {
  if (spec.work.type !== 'workflow') throw new Error(`${spec.name} has no tasks of its own`);
  return spec.work.workflow;
}
