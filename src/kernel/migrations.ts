import { versionNumber, type EventOf, type Workflow } from '../model/index.ts';
import { scopeAt, taskAt, type RunState, type ScopeState, type TaskState } from './run-state.ts';

/** What the migrations of a definition gave for one scope. */
export type MigratedScope = NonNullable<EventOf<'drift.accepted'>['data']['migrated']>[number];

/** The versions to go through, in order; or why there is no way. */
export type MigrationPath =
  | { readonly from: number; readonly to: number; readonly steps: readonly number[] }
  | { readonly reason: string };

/**
 * How data of one definition becomes that of another. Undefined: nothing has to be done. Versions count only where one of the two has
 * migrations; elsewhere they are names.
 */
export function migrationPath(before: Workflow, after: Workflow): MigrationPath | undefined {
  if (before.migrations === undefined && after.migrations === undefined) return undefined;
  const [from, to] = [versionNumber(before), versionNumber(after)];
  if (from === undefined || to === undefined) {
    const name = (from === undefined ? before : after).version!;
    return { reason: `${name} is no whole number: no migration leads from or to it` };
  }
  if (to < from) return { reason: `this is version ${to}, and the run has version ${from} already` };
  if (to === from || after.migrations === undefined) return undefined;
  const steps = Array.from({ length: to - from }, (_, index) => from + index + 1);
  const missing = steps.find((step) => !Object.hasOwn(after.migrations!, step));
  if (missing === undefined) return { from, to, steps };
  return { reason: `no migration leads from version ${missing - 1} to ${missing}` };
}

/** Whether the inputs of a scope will be others by the time a definition counts. */
export function migratesInputs(before: Workflow, after: Workflow): boolean {
  const path = migrationPath(before, after);
  if (path === undefined || 'reason' in path) return false;
  return path.steps.some((step) => after.migrations![step]!.inputs !== undefined);
}

/** The tasks of a scope by their place in its definition: those of inline bodies belong to it, those of child workflows do not. */
export function tasksOfDefinition(state: RunState, scope: ScopeState): Map<string, TaskState[]> {
  const paths = [...state.tasks.values()].map((task) => [pathIn(state, scope, task), task] as const);
  const found = new Map<string, TaskState[]>();
  for (const [path, task] of paths) {
    if (path !== undefined) found.set(path, [...(found.get(path) ?? []), task]);
  }
  return found;
}

function pathIn(state: RunState, { owner }: ScopeState, task: TaskState): string | undefined {
  if (task.scope === owner) return task.spec.name;
  if (task.scope === '') return undefined;
  const outer = taskAt(state, task.scope);
  const { work } = outer.spec;
  if (work.type !== 'workflow' || !work.inherits) return undefined;
  const path = pathIn(state, scopeAt(state, owner), outer);
  return path && `${path}.${task.spec.name}`;
}

/** Before the definition is adopted: what it gives to new inputs and fields comes after what was migrated. */
export function applyMigrations(state: RunState, migrated: readonly MigratedScope[]): void {
  for (const { scope: owner, inputs, state: fields, outputs = [] } of migrated) {
    const scope = scopeAt(state, owner);
    if (inputs !== undefined) scope.inputs = inputs;
    if (fields !== undefined && scope.graph !== undefined) scope.graph.state = fields;
    for (const { task, output } of outputs) taskAt(state, task).life = { status: 'succeeded', output };
  }
  if (migrated.length > 0) forgetDerived(state);
}

/** What was computed from the outputs of others is remembered by the life of a task: it gets another one. */
function forgetDerived(state: RunState): void {
  for (const task of state.tasks.values())
    if (task.life.status === 'succeeded' && task.life.output === undefined) task.life = { ...task.life };
}
