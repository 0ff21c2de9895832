import { canonicalJson, hasCode, type Json, type JsonObject } from '../base/index.ts';
import {
  outputOf,
  scopeAt,
  taskAt,
  type DriftView,
  type MigratedScope,
  type RunState,
} from '../kernel/index.ts';
import { migrateRun, type MigrationRules } from './migrate-run.ts';

/** How a definition differs from the one that a run keeps, and what its migrations would make of the data of the run. */
export interface DriftReport extends DriftView {
  /** Absent: there is nothing to migrate. */
  readonly migrated?: MigrationPreview;
}

/** What the migrations of a definition would change in the data of a run. */
export interface MigrationPreview {
  readonly changes: readonly MigratedValue[];
  /** Why they cannot be run; then nothing would be changed. */
  readonly problem?: string;
}

/** One value that a migration would change. */
export interface MigratedValue {
  /** Inside of a child workflow: the task that it is. */
  readonly scope?: string;
  /** `inputs.name`, `state.draft`, or `tasks.plan.output`. */
  readonly field: string;
  /** Absent: it was not there. */
  readonly before?: Json;
  /** Absent: it will not be there. */
  readonly after?: Json;
}

/** Runs the migrations, and keeps nothing of what they give. Undefined: none would be run. */
export async function previewMigration(
  state: RunState,
  rules: MigrationRules,
): Promise<MigrationPreview | undefined> {
  try {
    const migrated = await migrateRun(state, rules);
    if (migrated.length === 0) return undefined;
    return { changes: migrated.flatMap((scope) => changesOf(state, scope)) };
  } catch (thrown) {
    if (!hasCode(thrown, 'MIGRATION_FAILED')) throw thrown;
    return { changes: [], problem: (thrown as Error).message };
  }
}

function changesOf(state: RunState, { scope: owner, inputs, state: fields, outputs = [] }: MigratedScope) {
  const scope = scopeAt(state, owner);
  const changes = [
    ...(inputs ? differing('inputs', scope.inputs, inputs) : []),
    ...(fields ? differing('state', scope.graph!.state, fields) : []),
    ...outputs.flatMap(({ task, output }) => {
      const before = outputOf(state, taskAt(state, task));
      return change(`tasks.${task}.output`, before, output);
    }),
  ];
  return owner === '' ? changes : changes.map((one) => ({ scope: owner, ...one }));
}

function differing(name: string, before: JsonObject, after: JsonObject): MigratedValue[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].flatMap((field) => change(`${name}.${field}`, before[field], after[field]));
}

function change(field: string, before: Json | undefined, after: Json | undefined): MigratedValue[] {
  if (textOf(before) === textOf(after)) return [];
  return [{ field, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : canonicalJson(value);
}
