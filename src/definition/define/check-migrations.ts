import { isPlainObject } from '../../base/index.ts';
import { isFunctionRef, versionNumber, type Dynamic, type MigrationSpec } from '../../model/index.ts';
import { chainsOf } from '../expressions/chains.ts';
import { expressionsOf } from '../expressions/templates.ts';
import type { Finding, Path } from '../problems.ts';
import type { TaskDraft, WorkflowDraft } from '../workflow-draft.ts';
import { checkTemplates } from './check-templates.ts';
import { migrationSites, type ExpressionSite } from './expression-sites.ts';
import type { Scope } from './scope.ts';
import { suggestNearest } from './suggestions.ts';

/** Whether the migrations of a workflow lead to its version, one by one, and change what it has. */
export function checkMigrations({ draft, form, at }: Scope): Finding[] {
  const { migrations = {} } = draft;
  const steps = Object.keys(migrations);
  if (steps.length === 0) return [];
  const place = [...at, 'migrations'];
  const version = versionNumber(draft);
  if (version === undefined || version === 1) return [withoutVersion(draft, at)];
  return [
    ...checkSteps(steps, version, place),
    ...Object.entries(migrations).flatMap(([step, migration]) =>
      checkStep(migration, { draft, form, at: [...place, step] }),
    ),
  ];
}

function withoutVersion({ version }: WorkflowDraft, at: Path): Finding {
  const is = version === undefined ? 'it has none' : `it is \`${version}\``;
  return {
    at: [...at, 'migrations'],
    onKey: true,
    message: `Migrations need a \`version\` that is a whole number from 2 on; ${is}.`,
    remedy: 'A workflow without `version` is of version 1: write `version: 2`, and the migration to it.',
  };
}

/** Runs of versions before the first migration are too old; from there on none may be missing. */
function checkSteps(steps: readonly string[], version: number, at: Path): Finding[] {
  const wrong = steps.filter(
    (step) => !/^[1-9]\d*$/.test(step) || Number(step) < 2 || Number(step) > version,
  );
  if (wrong.length > 0)
    return wrong.map((step) => ({
      at: [...at, step],
      onKey: true,
      message: `There is no version \`${step}\` to migrate to: versions are whole numbers, from 2 to ${version}.`,
      remedy: 'Name each migration after the version it leads to.',
    }));
  const first = Math.min(...steps.map(Number));
  return Array.from({ length: version - first }, (_, index) => first + index + 1)
    .filter((step) => !steps.includes(String(step)))
    .map((step) => ({
      at,
      onKey: true,
      message: `There is no migration to version ${step}.`,
      remedy: `Add one; if nothing changes with it: \`${step}: {}\`.`,
      inCode: { remedy: `Add one; if nothing changes with it: \`.migrate(${step}, {})\`.` },
    }));
}

interface StepPlace {
  readonly draft: WorkflowDraft;
  readonly form: Scope['form'];
  readonly at: Path;
}

function checkStep(migration: MigrationSpec, { draft, form, at }: StepPlace): Finding[] {
  const { inputs, state, outputs = {} } = migration;
  const sites = migrationSites(migration, at);
  return [
    ...checkRecord(inputs, [...at, 'inputs']),
    ...checkRecord(state, [...at, 'state']),
    ...(state !== undefined && form === 'tasks'
      ? [{ at: [...at, 'state'], onKey: true, message: '`state` belongs to a graph; these are tasks.' }]
      : []),
    ...Object.keys(outputs).flatMap((name) => checkTask(name, draft, [...at, 'outputs', name])),
    ...checkTemplates(sites),
    ...sites.flatMap(checkReads),
  ];
}

function checkRecord(value: Dynamic | undefined, at: Path): Finding[] {
  if (value === undefined || isFunctionRef(value) || isPlainObject(value)) return [];
  const message = 'A migration names the fields that change.';
  return [{ at, message, remedy: 'Write `{ field: … }`.' }];
}

function checkTask(name: string, { tasks }: WorkflowDraft, at: Path): Finding[] {
  const [first, ...inside] = name.split('.');
  const task = tasks.find((one) => one.name === first);
  const body = task && bodyOf(task);
  if (task !== undefined && inside.length === 0) return [];
  if (body !== undefined) return checkTask(inside.join('.'), body, at);
  return [
    {
      at,
      onKey: true,
      message: `There is no task \`${name}\`.`,
      ...suggestNearest(
        first!,
        tasks.map((one) => one.name),
      ),
    },
  ];
}

/** A child workflow migrates its own. */
function bodyOf({ work }: TaskDraft): WorkflowDraft | undefined {
  return work.type === 'workflow' && work.inherits === true ? (work.workflow as WorkflowDraft) : undefined;
}

function checkReads({ at, template }: ExpressionSite): Finding[] {
  return expressionsOf(template).flatMap(({ expression, start }) =>
    chainsOf(expression, new Set())
      .filter(({ root }) => root === 'tasks' || root === 'needs')
      .map(() => ({
        at,
        offset: start,
        message: 'A migration does not see other tasks.',
        remedy:
          'It sees `inputs`, `state` and, of a task under `outputs`, its `output`, as they were before it.',
      })),
  );
}
