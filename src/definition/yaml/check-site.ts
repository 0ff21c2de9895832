import type { ExpressionSite } from '../define/expression-sites.ts';
import { suggestNearest } from '../define/suggestions.ts';
import { plainTypes, type Objection } from '../expressions/cel-errors.ts';
import { chainsOf, type Chain } from '../expressions/chains.ts';
import type { ExpressionChecker, Verdict, VariableTypes } from '../expressions/check-expression.ts';
import { expressionsOf, type ExpressionPart } from '../expressions/templates.ts';
import type { TypeName, Types } from '../expressions/types.ts';
import type { Finding } from '../problems.ts';
import type { TaskDraft } from '../workflow-draft.ts';
import { outputType, viewType } from './task-types.ts';

/** What the expressions of one workflow are checked against. */
export interface Sight {
  readonly types: Types;
  readonly check: ExpressionChecker;
  /** Names with hyphens. */
  readonly names: ReadonlySet<string>;
  /** By name: those of the workflow and, in an inline body, of what is around it. */
  readonly tasks: ReadonlyMap<string, TaskDraft>;
  /** Without `tasks` and `needs`, which are made for each expression. */
  readonly variables: VariableTypes;
}

/** The task that a site belongs to; undefined for the outputs of a workflow. */
export type Owner = TaskDraft | undefined;

export function checkSite(site: ExpressionSite, owner: Owner, sight: Sight): Finding[] {
  return expressionsOf(site.template).flatMap((part) => {
    const fieldsOfText = readsOfText(part, owner, sight);
    if (fieldsOfText.length > 0) return fieldsOfText.map((finding) => ({ ...finding, at: site.at }));
    return [
      ...readsWithoutSchema(part, owner, sight).map((finding) => ({ ...finding, at: site.at })),
      ...judge(site, part, typeOfExpression(part.expression, owner, sight)),
    ];
  });
}

/** An expression is given only those tasks that it mentions: a workflow may have thousands. */
export function typeOfExpression(expression: string, owner: Owner, sight: Sight): Verdict {
  const chains = chainsOf(expression, sight.names);
  const mentioned = (root: string) =>
    chains.flatMap((chain) => (chain.root === root ? chain.steps.slice(0, 1) : []));
  const views = (root: string) =>
    viewsOf(
      mentioned(root).map(({ name }) => name),
      sight,
    );
  const variables = {
    ...sight.variables,
    tasks: sight.types.record(views('tasks')),
    needs: sight.types.record({ ...views('needs'), ...viewsOf(owner?.needs ?? [], sight) }),
  };
  return sight.check(expression, variables);
}

/** That a name is unknown is reported where needs and reads are checked. */
function viewsOf(names: readonly string[], { tasks, types }: Sight): Record<string, TypeName> {
  return Object.fromEntries(
    names.map((name) => {
      const task = tasks.get(name);
      return [name, task === undefined ? 'dyn' : viewType(task, types)];
    }),
  );
}

type Unplaced = Omit<Finding, 'at'>;

/** Nobody has promised that a field is there. */
function readsWithoutSchema(part: ExpressionPart, owner: Owner, sight: Sight): Unplaced[] {
  return chainsOf(part.expression, sight.names).flatMap((chain) => {
    const read = outputRead(chain, owner, sight);
    if (read === undefined || outputType(read.task, sight.types) !== undefined) return [];
    const message = `The output of \`${read.task.name}\` has no schema, so nothing is known of \`${read.field.name}\`.`;
    const remedy = `Add \`output: { ${read.field.name}: … }\` to \`${read.task.name}\`.`;
    return [{ offset: part.start + read.field.start, message, remedy }];
  });
}

/** Fields of what a command prints or an agent answers, which is text unless it says otherwise. */
function readsOfText(part: ExpressionPart, owner: Owner, sight: Sight): Unplaced[] {
  return chainsOf(part.expression, sight.names).flatMap((chain) => {
    const read = outputRead(chain, owner, sight);
    if (read === undefined || outputType(read.task, sight.types) !== 'string') return [];
    const { task, field } = read;
    const { type } = task.work;
    if (type !== 'command' && type !== 'agent') return [];
    const [text, how] =
      type === 'agent'
        ? ['the text of its answer', 'Add']
        : ['the text it prints', 'Let it print JSON, and add'];
    const message = `The output of \`${task.name}\` is ${text}, which has no \`${field.name}\`.`;
    const remedy = `${how} \`output: { ${field.name}: … }\` to \`${task.name}\`.`;
    return [{ offset: part.start + field.start, message, remedy }];
  });
}

/** `tasks.plan.output.parts`, or in a graph `output.text`: the field, and the task whose output it is read from. */
function outputRead({ root, steps }: Chain, owner: Owner, sight: Sight) {
  if (root === 'output' && owner !== undefined && sight.variables['output'] !== undefined) {
    return readOf(owner, steps[0]);
  }
  if ((root !== 'tasks' && root !== 'needs') || steps[1]?.name !== 'output') return undefined;
  return readOf(sight.tasks.get(steps[0]!.name), steps[2]);
}

/** The output of a for-each is a list, which CEL knows by itself. */
function readOf(task: TaskDraft | undefined, field: Chain['steps'][number] | undefined) {
  if (task === undefined || field === undefined || task.forEach !== undefined) return undefined;
  return { task, field };
}

function judge(site: ExpressionSite, part: ExpressionPart, verdict: Verdict): Finding[] {
  if ('objection' in verdict) return [toFinding(site, part, verdict.objection)];
  if (site.role === 'argument') return judgeArgument(site, part, verdict.type);
  const isCondition = site.role === 'if' || site.role === 'next';
  if (!isCondition || verdict.type === 'bool' || verdict.type === 'dyn') return [];
  const message = `A condition must be true or false; this is ${describeType(verdict.type)}.`;
  return [{ at: site.at, offset: part.start, message, remedy: 'Compare it with something.' }];
}

/** An argument is one text; a list would become that of its JSON, which nobody means. */
function judgeArgument(
  { at, template }: ExpressionSite,
  { start }: ExpressionPart,
  type: TypeName,
): Finding[] {
  if (template.parts.length > 1 || describeType(type) !== 'a list') return [];
  const message = 'An argument is one text; this is a list.';
  const remedy = 'Join it with `.join(" ")`, or run the command once for each with `for-each`.';
  return [{ at, offset: start, message, remedy }];
}

function toFinding({ at }: ExpressionSite, { start }: ExpressionPart, objection: Objection): Finding {
  const { message, remedy, offset, node } = objection;
  return {
    at,
    offset: start + offset,
    message,
    malformed: node === undefined,
    ...(remedy === undefined ? {} : { remedy }),
  };
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  object: 'a record',
};

export function describeType(type: TypeName): string {
  const plain = plainTypes(type);
  if (plain.startsWith('list')) return 'a list';
  return plain.startsWith('map') ? 'a record' : (typeWords[plain] ?? `a ${plain}`);
}

/** The fields an update names must be those of the state. */
export function checkUpdate(update: object, state: object, at: Finding['at']): Finding[] {
  const fields = Object.keys(state);
  return Object.keys(update)
    .filter((name) => !fields.includes(name))
    .map((name) => ({
      at: [...at, name],
      onKey: true,
      message: `The state has no field \`${name}\`.`,
      remedy:
        suggestNearest(name, fields).remedy ?? `Add \`${name}\` to \`state\`, with what it begins with.`,
    }));
}
