import { isPlainObject, toJson, type Json, type JsonObject } from '../base/index.ts';
import {
  adopted,
  migrationPath,
  outputOf,
  scopeAt,
  tasksOfDefinition,
  type MigratedScope,
  type RunState,
  type ScopeState,
  type TaskState,
} from '../kernel/index.ts';
import { isFunctionRef, type Dynamic, type TaskSpec, type Variables, type Workflow } from '../model/index.ts';
import { checkOutput } from './call-function.ts';
import { checkMigratedInputs, checkMigratedState } from './migrated-data.ts';
import { atPlace, type MigrationPlace } from './migration-place.ts';
import type { Program } from './program.ts';

export interface MigrationRules {
  readonly program: Program;
  readonly maxOutputBytes: number;
}

/**
 * What the migrations of a definition make of the data of a run: of every scope that will go on with it and has an older version.
 * Changes nothing; what it gives is journalled, so that no migration counts twice. Throws `MIGRATION_FAILED`.
 */
export async function migrateRun(state: RunState, rules: MigrationRules): Promise<readonly MigratedScope[]> {
  const migrated: MigratedScope[] = [];
  for (const { owner, workflow } of adopted(state, rules.program.workflow).scopes.values()) {
    const scope = scopeAt(state, owner);
    const path = migrationPath(scope.workflow, workflow);
    if (path === undefined || 'reason' in path) continue;
    const { from, to, steps } = path;
    const given = await migrateScope({ state, scope, workflow, rules }, steps);
    migrated.push({ scope: owner, from, to, ...given });
  }
  return migrated;
}

interface Migration {
  readonly state: RunState;
  readonly scope: ScopeState;
  /** What the scope goes on with. */
  readonly workflow: Workflow;
  readonly rules: MigrationRules;
}

/** The data of a scope on its way from version to version. */
interface ScopeData {
  readonly inputs: JsonObject;
  readonly state: JsonObject | undefined;
  /** Those that were migrated, by address. */
  readonly outputs: ReadonlyMap<string, Json>;
}

async function migrateScope(
  migration: Migration,
  steps: readonly number[],
): Promise<Omit<MigratedScope, 'scope' | 'from' | 'to'>> {
  const { scope, workflow, rules } = migration;
  let data: ScopeData = { inputs: scope.inputs, state: scope.graph?.state, outputs: new Map() };
  for (const step of steps) data = await migrateStep(migration, step, data);
  const lastOf = (part: 'inputs' | 'state'): number | undefined =>
    steps.findLast((step) => workflow.migrations![step]![part] !== undefined);
  const [toInputs, toState] = [lastOf('inputs'), scope.graph && lastOf('state')];
  const inputs =
    toInputs &&
    (await atPlace(placeOf(migration, toInputs, ['inputs']), () =>
      checkMigratedInputs(data.inputs, workflow, { step: toInputs, program: rules.program }),
    ));
  const state =
    toState &&
    (await atPlace(placeOf(migration, toState, ['state']), () =>
      checkMigratedState(data.state!, workflow, toState),
    ));
  const outputs = await checkOutputs(migration, steps.at(-1)!, data.outputs);
  return { ...(inputs && { inputs }), ...(state && { state }), ...(outputs.length > 0 && { outputs }) };
}

/** All parts of one step see what the step before left. */
async function migrateStep(migration: Migration, step: number, data: ScopeData): Promise<ScopeData> {
  const { workflow, state: run } = migration;
  const { inputs, state, outputs = {} } = workflow.migrations![step]!;
  const before = { run: { id: run.run }, inputs: data.inputs, ...(data.state && { state: data.state }) };
  const change = (part: 'inputs' | 'state', old: JsonObject, template: Dynamic | undefined) =>
    template === undefined
      ? old
      : atPlace(placeOf(migration, step, [part]), () => changed(migration, old, { template, before }));
  const migrated = new Map(data.outputs);
  for (const { name, task, template } of outputsIn(migration, outputs)) {
    const output = migrated.get(task.address) ?? outputOf(run, task) ?? null;
    const seen = { ...before, ...itemOf(task), output };
    const place = { ...placeOf(migration, step, ['outputs', name]), task: task.address };
    const given = await atPlace(place, () => render(migration, template, seen));
    migrated.set(task.address, given);
  }
  return {
    inputs: await change('inputs', data.inputs, inputs),
    state: data.state && (await change('state', data.state, state)),
    outputs: migrated,
  };
}

/** The tasks that have an output, and what becomes of it. A for-each has those of its items. */
function outputsIn(
  { state, scope }: Migration,
  outputs: Readonly<Record<string, Dynamic>>,
): { readonly name: string; readonly task: TaskState; readonly template: Dynamic }[] {
  const tasks = tasksOfDefinition(state, scope);
  return Object.entries(outputs).flatMap(([name, template]) =>
    (tasks.get(name) ?? [])
      .filter(({ life, group }) => life.status === 'succeeded' && group === undefined)
      .map((task) => ({ name, task, template })),
  );
}

function itemOf({ item, spec }: TaskState): Variables {
  return item === undefined ? {} : { key: item.key, [spec.forEach!.as]: item.value };
}

interface Change {
  readonly template: Dynamic;
  readonly before: Variables;
}

/** A closure gives the whole; a template names what changes. */
function changed(migration: Migration, old: JsonObject, { template, before }: Change): JsonObject {
  const given = render(migration, template, before);
  if (!isPlainObject(given)) throw new Error(`it must give a record; this is ${JSON.stringify(given)}`);
  const fields = given as JsonObject;
  return isFunctionRef(template) ? fields : (toJson({ ...old, ...fields }) as JsonObject);
}

function render({ rules }: Migration, template: Dynamic, variables: Variables): Json {
  return rules.program.evaluator.render(template, variables);
}

/** By what the new definition says of these tasks. */
async function checkOutputs(
  migration: Migration,
  step: number,
  outputs: ReadonlyMap<string, Json>,
): Promise<{ readonly task: string; readonly output: Json }[]> {
  const { state, scope, workflow, rules } = migration;
  const paths = tasksOfDefinition(state, scope);
  const checked: { readonly task: string; readonly output: Json }[] = [];
  for (const [path, tasks] of paths) {
    const spec = specAt(workflow, path);
    for (const { address: task } of tasks.filter(({ address }) => outputs.has(address))) {
      const output = outputs.get(task)!;
      const place = { ...placeOf(migration, step, ['outputs', path]), task };
      if (spec !== undefined) await atPlace(place, () => checkOutput(output, spec, rules));
      checked.push({ task, output });
    }
  }
  return checked;
}

function specAt(workflow: Workflow, path: string): TaskSpec | undefined {
  const [name, ...inside] = path.split('.');
  const spec = workflow.tasks.find((task) => task.name === name);
  if (inside.length === 0 || spec?.work.type !== 'workflow') return spec;
  return specAt(spec.work.workflow, inside.join('.'));
}

function placeOf(
  { state, scope, workflow, rules }: Migration,
  step: number,
  part: readonly string[],
): MigrationPlace {
  return {
    run: state.run,
    workflow: workflow.name,
    scope: scope.owner,
    step,
    part,
    locate: rules.program.locate,
  };
}
