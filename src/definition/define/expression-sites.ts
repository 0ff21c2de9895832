import type { Json } from '../../base/index.ts';
import { isFunctionRef, type Condition, type Dynamic, type MigrationSpec } from '../../model/index.ts';
import { splitCondition } from '../expressions/conditions.ts';
import { hasExpression, splitTemplate, type Template } from '../expressions/templates.ts';
import type { Path } from '../problems.ts';
import type { AgentDraft, CommandDraft, TaskDraft } from '../workflow-draft.ts';

/** A text of the workflow that holds expressions, and what they may see. */
export interface ExpressionSite {
  readonly at: Path;
  readonly role: SiteRole;
  readonly template: Template;
}

/** Named after the keys: what an expression sees, and what it must give, depends on where it stands. */
export type SiteRole =
  | 'if'
  | 'in'
  | 'key'
  | 'with'
  | 'argument'
  | 'update'
  | 'next'
  | 'outputs'
  | 'delivery'
  | 'migration'
  | 'migrated-output';

/** Every site of one task. Not those inside a nested workflow: they belong to its own scope. */
export function taskSites(task: TaskDraft, at: Path): ExpressionSite[] {
  const { forEach } = task;
  const forEachAt = [...at, 'for-each'];
  return [
    ...conditionSites(task.if, 'if', [...at, 'if']),
    ...(forEach === undefined
      ? []
      : valueSites(forEach.in, 'in', [...forEachAt, forEach.matrix === true ? 'matrix' : 'in'])),
    ...valueSites(forEach?.key, 'key', [...forEachAt, 'key']),
    ...valueSites(task.approval, 'with', [...at, 'approval']),
    ...valueSites(task.work.with, 'with', [...at, 'with']),
    ...processSites(task.work, at),
    ...deliverSites(task.work, at),
    ...askSites(task.work, at),
    ...helpingSites(task.check, [...at, 'check']),
    ...helpingSites(task.setup, [...at, 'setup']),
    ...valueSites(task.update, 'update', [...at, 'update']),
    ...(task.next ?? []).flatMap((edge, index) =>
      conditionSites(edge.if, 'next', [...at, 'next', index, 'if']),
    ),
  ];
}

function processSites(work: TaskDraft['work'], at: Path): ExpressionSite[] {
  if (work.type !== 'command' && work.type !== 'agent') return [];
  return [
    ...(work.type === 'agent' ? promptSites(work, at) : runSites(work, at)),
    ...environmentSites(work, at),
    ...valueSites(work.workingDirectory, 'with', [...at, 'working-directory']),
  ];
}

function deliverSites(work: TaskDraft['work'], at: Path): ExpressionSite[] {
  if (work.type !== 'deliver') return [];
  const { title, body, branch } = work.pr;
  return [
    ...valueSites(branch, 'with', [...at, 'pr', 'branch']),
    ...valueSites(title, 'delivery', [...at, 'pr', 'title']),
    ...valueSites(body, 'delivery', [...at, 'pr', 'body']),
  ];
}

function askSites(work: TaskDraft['work'], at: Path): ExpressionSite[] {
  if (work.type !== 'ask') return [];
  const { question, choices, default: fallback } = work;
  return Object.entries({ question, choices, default: fallback }).flatMap(([key, value]) =>
    valueSites(value, 'with', [...at, 'ask', key]),
  );
}

/**
 * Of a check or a setup. What it has from the task is looked at there; one that is finished keeps its expressions in
 * variables of its own.
 */
function helpingSites(helper: TaskDraft['check'] | TaskDraft['setup'], at: Path): ExpressionSite[] {
  const work = helper?.work;
  return work === undefined ? [] : [...runSites(work, at), ...environmentSites(work, at)];
}

function environmentSites({ env = {} }: Pick<CommandDraft, 'env'>, at: Path): ExpressionSite[] {
  return Object.entries(env).flatMap(([name, value]) => valueSites(value, 'with', [...at, 'env', name]));
}

function promptSites({ prompt }: AgentDraft, at: Path): ExpressionSite[] {
  return valueSites(prompt, 'with', [...at, 'prompt']);
}

function runSites({ run }: CommandDraft, at: Path): ExpressionSite[] {
  return valueSites(run, typeof run === 'string' ? 'with' : 'argument', [...at, 'run']);
}

/** Every site of one migration. */
export function migrationSites({ inputs, state, outputs = {} }: MigrationSpec, at: Path): ExpressionSite[] {
  return [
    ...valueSites(inputs, 'migration', [...at, 'inputs']),
    ...valueSites(state, 'migration', [...at, 'state']),
    ...Object.entries(outputs).flatMap(([task, value]) =>
      valueSites(value, 'migrated-output', [...at, 'outputs', task]),
    ),
  ];
}

export function valueSites(value: Dynamic | undefined, role: SiteRole, at: Path): ExpressionSite[] {
  if (value === undefined || isFunctionRef(value)) return [];
  return textsOf(value, at)
    .filter(({ text }) => hasExpression(text))
    .map(({ text, at }) => ({ at, role, template: splitTemplate(text) }));
}

function conditionSites(condition: Condition | undefined, role: SiteRole, at: Path): ExpressionSite[] {
  if (typeof condition !== 'string') return [];
  return [{ at, role, template: splitCondition(condition) }];
}

interface PlacedText {
  readonly text: string;
  readonly at: Path;
}

function textsOf(value: Json, at: Path): PlacedText[] {
  if (typeof value === 'string') return [{ text: value, at }];
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap((item: Json, index) => textsOf(item, [...at, index]));
  return Object.entries(value).flatMap(([key, entry]) => textsOf(entry, [...at, key]));
}

/** The same value with every text replaced by what `change` makes of it. */
export function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: Json) => mapTexts(item, change));
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapTexts(entry, change)]));
}
