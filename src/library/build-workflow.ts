import { isProgram } from '../model/index.ts';
import {
  defineWorkflow,
  type AgentDraft,
  type AskDraft,
  type CommandDraft,
  type TaskDraft,
  type WorkflowDraft,
} from '../definition/index.ts';
import type { TaskFunction } from '../engine/index.ts';
import { checkDraft, type AgentOptions } from './agent-options.ts';
import { deliveryDraft } from './delivery-options.ts';
import { standsFor } from './function-sources.ts';
import { isDefinition, nest, stepContext, type Closure, type Definition } from './definition.ts';
import { migrationParts, versionText, type Migrations } from './migration-options.ts';
import { withPlace, workspaceDraft, type AnyPlaceOptions } from './place-options.ts';
import {
  breakersDraft,
  checkpointDraft,
  stepDraft,
  usageLimitsDraft,
  type StepOptions,
} from './task-options.ts';
import { inputsOf, needsOf } from './views.ts';
import type { Known, TaskContext, WorkflowSettings } from './task-context.ts';

/** A list that shares its beginning with those it grew from: adding to it costs the same however long it is. */
export interface TaskList {
  readonly task: TaskPart;
  readonly before: TaskList | undefined;
}

export interface WorkflowParts {
  readonly name: string;
  readonly settings: WorkflowSettings;
  readonly tasks: TaskList | undefined;
  readonly outputs: Closure | undefined;
  readonly migrations?: Migrations;
}

/** One task: its data, and what data cannot hold. */
export interface TaskPart {
  readonly draft: TaskDraft;
  readonly place: AnyPlaceOptions;
  readonly functions: Readonly<Record<string, TaskFunction>>;
  readonly closures: Readonly<Record<string, Closure>>;
}

/** What the typed faces of the builders come down to. */
export interface AnyTaskOptions extends StepOptions, AnyPlaceOptions, Pick<AgentOptions, 'check'> {
  readonly needs?: readonly string[];
  readonly if?: 'failure' | 'always' | ((known: Known<unknown, unknown>) => boolean);
  readonly continueOnError?: boolean;
  readonly forEach?: {
    readonly in: (known: Known<unknown, unknown>) => readonly unknown[];
    readonly key?: (
      item: unknown,
      known: Known<unknown, unknown> & { readonly index: number },
    ) => string | number;
    readonly maxParallel?: number;
    readonly maxFailures?: number;
  };
  readonly with?: (known: Known<unknown, unknown> & { readonly item: unknown }) => unknown;
}

export type AnyWork =
  | Definition
  | CommandDraft
  | AgentDraft
  | AskDraft
  | ((context: TaskContext<unknown, unknown, unknown>) => unknown);

export function taskPart(name: string, options: AnyTaskOptions, work: AnyWork): TaskPart {
  const closures: Record<string, Closure> = {};
  const done = workPart(name, work, options.with === undefined ? undefined : `${name}:with`);
  if (options.with !== undefined)
    closures[`${name}:with`] = (variables) =>
      options.with!({ ...knownOf(variables), item: variables['item'] });
  const draft: TaskDraft = {
    name,
    ...stepDraft(options),
    needs: options.needs,
    continueOnError: options.continueOnError,
    if: conditionDraft(name, options.if, closures),
    forEach: forEachDraft(name, options.forEach, closures),
    work: done.work,
    check: checkDraft(options),
  };
  return { draft, place: options, functions: done.functions, closures: { ...closures, ...done.closures } };
}

function workPart(
  name: string,
  work: AnyWork,
  given: string | undefined,
): Pick<TaskPart, 'functions' | 'closures'> & { work: TaskDraft['work'] } {
  if ('type' in work && (work.type === 'ask' || isProgram(work)))
    return { work, functions: {}, closures: {} };
  if (!isDefinition(work)) {
    const run: TaskFunction = (call) => work(taskContext(call));
    return {
      work: { type: 'function', function: name },
      functions: { [name]: standsFor(run, work) },
      closures: {},
    };
  }
  const { draft, functions, closures } = nest(work, name);
  const nested = { type: 'workflow', workflow: draft as WorkflowDraft, inherits: false } as const;
  return {
    work: given === undefined ? nested : { ...nested, with: { $function: given } },
    functions,
    closures,
  };
}

function taskContext(call: Parameters<TaskFunction>[0]): TaskContext<unknown, unknown, unknown> {
  const { variables } = call;
  const item = { item: variables['item'], itemKey: variables['key'] as string | undefined };
  return { ...stepContext(call), ...knownOf(variables), ...item };
}

function knownOf(variables: Parameters<Closure>[0]): Known<unknown, unknown> {
  return { inputs: inputsOf(variables), needs: needsOf(variables) };
}

function conditionDraft(
  name: string,
  condition: AnyTaskOptions['if'],
  closures: Record<string, Closure>,
): TaskDraft['if'] {
  if (typeof condition !== 'function') return condition === undefined ? undefined : `${condition}()`;
  closures[`${name}:if`] = (variables) => condition(knownOf(variables));
  return { $function: `${name}:if` };
}

function forEachDraft(
  name: string,
  forEach: AnyTaskOptions['forEach'],
  closures: Record<string, Closure>,
): TaskDraft['forEach'] {
  if (forEach === undefined) return undefined;
  const { in: list, key, ...limits } = forEach;
  closures[`${name}:in`] = (variables) => list(knownOf(variables));
  if (key !== undefined) {
    closures[`${name}:key`] = (variables) =>
      key(variables['item'], { ...knownOf(variables), index: variables['index'] as number });
  }
  return { in: { $function: `${name}:in` }, key: key && { $function: `${name}:key` }, ...limits };
}

export function buildWorkflow<Inputs, Outputs>({
  name,
  settings,
  tasks,
  outputs,
  migrations: given = new Map(),
}: WorkflowParts): Definition<Inputs, Outputs> {
  const parts: TaskPart[] = [];
  for (let list = tasks; list !== undefined; list = list.before) parts.push(list.task);
  parts.reverse();
  const { migrations, closures } = migrationParts(given);
  const { version, checkpoint, breakers, usageLimits, workspace, deliver, setup: _, ...limits } = settings;
  const workflow = defineWorkflow({
    name,
    ...limits,
    version: versionText(version),
    migrations,
    checkpoint: checkpointDraft(checkpoint),
    breakers: breakersDraft(breakers),
    usageLimits: usageLimitsDraft(usageLimits),
    workspace: workspaceDraft(workspace),
    deliver: deliveryDraft(deliver),
    tasks: parts.map(({ draft, place }) => withPlace(draft, place, settings)),
    outputs: outputs && { $function: 'outputs' },
  });
  return {
    workflow,
    leavesCheckpoint: checkpoint === undefined,
    functions: mergeAll(parts, 'functions'),
    closures: { ...closures, ...mergeAll(parts, 'closures'), ...(outputs && { outputs }) },
  };
}

function mergeAll<Key extends 'functions' | 'closures'>(parts: readonly TaskPart[], key: Key): TaskPart[Key] {
  const merged: Record<string, unknown> = {};
  for (const part of parts) Object.assign(merged, part[key]);
  return merged as TaskPart[Key];
}
