import { isPlainObject } from '../../base/index.ts';
import type { Workflow } from '../../model/index.ts';
import { withDelivery } from '../define/delivery-task.ts';
import { taskSites, valueSites, type SiteRole } from '../define/expression-sites.ts';
import { hyphenatedNames } from '../define/known-names.ts';
import { formOf, taskPath } from '../define/scope.ts';
import { createExpressionChecker, type VariableTypes } from '../expressions/check-expression.ts';
import { choicesIn, createTypes, listOf, type Types } from '../expressions/types.ts';
import { isReported, type FaultOfPattern, type Finding, type Path } from '../problems.ts';
import type { TaskDraft, WorkflowDraft } from '../workflow-draft.ts';
import { checkMigrations } from './check-migrations.ts';
import { checkSite, checkUpdate, type Sight } from './check-site.ts';
import { itemTypeOf } from './for-each-types.ts';
import { errorType, outputType, stateType } from './task-types.ts';

/**
 * Everything about the expressions of a file that can be known without running it. `reported`: what is wrong already,
 * so that its consequences are not reported too.
 */
export function checkExpressions(
  draft: WorkflowDraft,
  reported: readonly Finding[],
  faultOf: FaultOfPattern,
): Finding[] {
  const types = createTypes();
  return checkWorkflow(withDelivery(draft), { at: [], around: undefined, types, reported, faultOf });
}

interface Place {
  readonly at: Path;
  /** Of an inline body. */
  readonly around: Sight | undefined;
  readonly types: Types;
  readonly faultOf: FaultOfPattern;
  readonly reported: readonly Finding[];
}

function checkWorkflow(draft: WorkflowDraft, place: Place): Finding[] {
  const sight = lookAround(draft, place);
  const scope = { at: place.at, form: formOf(draft) };
  return [
    ...draft.tasks.flatMap((task) => checkTask(task, { draft, at: taskPath(scope, task), sight, place })),
    ...valueSites(draft.outputs, 'outputs', [...place.at, 'outputs']).flatMap((site) =>
      checkSite(site, undefined, sight),
    ),
    ...checkMigrations(draft, place.at, sight),
  ];
}

function lookAround(draft: WorkflowDraft, { around, types, faultOf }: Place): Sight {
  const names = hyphenatedNames(draft, around?.names ?? new Set());
  const own = formOf(draft) === 'tasks' ? draft.tasks : [];
  return {
    types,
    names,
    check: createExpressionChecker(types, names, faultOf),
    tasks: new Map([...(around?.tasks ?? []), ...own.map((task) => [task.name, task] as const)]),
    variables: {
      ...(around?.variables ?? { inputs: inputsType(draft, types), run: types.record({ id: 'string' }) }),
      ...(draft.graph === undefined ? {} : { state: stateType(draft.graph.state ?? {}, types) }),
    },
  };
}

function inputsType({ inputs = {} }: WorkflowDraft, types: Types): string {
  const fields = Object.entries(inputs).map(([name, { schema }]) => [name, types.ofSchema(schema)]);
  const schemas = Object.fromEntries(Object.entries(inputs).map(([name, { schema }]) => [name, schema]));
  return types.record(Object.fromEntries(fields) as Record<string, string>, choicesIn(schemas));
}

interface TaskPlace {
  readonly draft: WorkflowDraft;
  readonly at: Path;
  readonly sight: Sight;
  readonly place: Place;
}

function checkTask(task: TaskDraft, { draft, at, sight, place }: TaskPlace): Finding[] {
  // Without its for-each, everything that reads the item would be wrong.
  if (isReported([...at, 'for-each'], place.reported)) return [];
  const item = task.forEach === undefined ? undefined : itemTypeOf(task, at, sight);
  const extra = variablesByRole(task, item?.type, sight.types);
  const see = (role: SiteRole): Sight => ({ ...sight, variables: { ...sight.variables, ...extra[role] } });
  return [
    ...(item?.findings ?? []),
    ...taskSites(task, at).flatMap((site) => checkSite(site, task, see(site.role))),
    ...(draft.graph !== undefined && isPlainObject(task.update)
      ? checkUpdate(task.update, draft.graph.state ?? {}, [...at, 'update'])
      : []),
    ...checkBody(task, { ...place, at, around: see('with') }),
  ];
}

/** A workflow from another file has been checked there. */
function checkBody({ work }: TaskDraft, place: Place): Finding[] {
  if (work.type !== 'workflow' || work.inherits !== true) return [];
  return checkWorkflow(work.workflow as WorkflowDraft | Workflow, place);
}

/** What expressions see beyond the workflow's own variables, depending on where they stand. */
function variablesByRole(
  task: TaskDraft,
  itemType: string | undefined,
  types: Types,
): Readonly<Partial<Record<SiteRole, VariableTypes>>> {
  const { forEach } = task;
  const variable = forEach?.as ?? (forEach?.matrix === true ? 'matrix' : 'item');
  const item: VariableTypes = itemType === undefined ? {} : { [variable]: itemType };
  const one = outputType(task, types) ?? 'dyn';
  const output = forEach === undefined ? one : listOf(one);
  const given: VariableTypes = forEach === undefined ? {} : { ...item, key: 'string' };
  return {
    key: { ...item, index: 'int' },
    with: given,
    argument: given,
    delivery: { delivery: types.record({ title: 'string', summary: 'string', evidence: 'string' }) },
    update: { output },
    next: { output, error: errorType(types) },
  };
}
