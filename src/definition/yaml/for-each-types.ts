import { isPlainObject, type Json } from '../../base/index.ts';
import { expressionsOf, hasExpression, splitTemplate } from '../expressions/templates.ts';
import { elementOf, type Choices, type Fields, type TypeName } from '../expressions/types.ts';
import { suggestNearest } from '../define/suggestions.ts';
import type { Finding, Path } from '../problems.ts';
import type { ForEachDraft, TaskDraft } from '../workflow-draft.ts';
import { describeType, typeOfExpression, type Sight } from './check-site.ts';

/** The type of one item, and what is wrong with what should be lists. */
export interface ItemType {
  readonly type: TypeName;
  readonly findings: readonly Finding[];
}

export function itemTypeOf(task: TaskDraft, at: Path, sight: Sight): ItemType {
  const forEach = task.forEach!;
  return forEach.matrix === true
    ? typeOfCombination(forEach, [...at, 'for-each', 'matrix'], { task, sight })
    : typeOfItem(forEach.in as Json, [...at, 'for-each', 'in'], { task, sight });
}

interface Context {
  readonly task: TaskDraft;
  readonly sight: Sight;
}

function typeOfItem(list: Json, at: Path, context: Context): ItemType {
  const type = typeOfDynamic(list, context);
  const element = elementOf(type);
  if (element !== undefined) return { type: element, findings: [] };
  const message = `A for-each goes through a list; this is ${describeType(type)}.`;
  return { type: 'dyn', findings: [{ at, message }] };
}

function typeOfCombination({ in: lists }: ForEachDraft, at: Path, context: Context): ItemType {
  if (!isPlainObject(lists)) {
    if (typeof lists === 'string' && hasExpression(lists)) return { type: 'dyn', findings: [] };
    return { type: 'dyn', findings: [{ at, message: 'A matrix is a mapping of names to lists.' }] };
  }
  const { include = [], exclude = [], ...axes } = lists as Record<string, Json>;
  const items = Object.entries(axes).map(
    ([name, list]) => [name, typeOfItem(list, [...at, name], context)] as const,
  );
  const fields = Object.fromEntries(items.map(([name, { type }]) => [name, type]));
  const findings = [
    ...items.flatMap(([, { findings }]) => findings),
    ...checkRecords(include, [...at, 'include']),
    ...checkRecords(exclude, [...at, 'exclude']),
    ...checkExcluded(exclude, axes, [...at, 'exclude']),
  ];
  // What an expression includes is known when it is run.
  if (typeof include === 'string') return { type: 'dyn', findings };
  const added = elementOf(context.sight.types.ofValue(include));
  const more = added === undefined ? {} : context.sight.types.fieldsOf(added);
  const values = choicesOfMatrix(axes, include);
  return { type: context.sight.types.record(joined(fields, more ?? {}), values), findings };
}

/** Of fields that have only texts, all of which stand in the file. */
function choicesOfMatrix(axes: Record<string, Json>, include: Json): Choices {
  const entries = Array.isArray(include) ? include.filter((entry) => isPlainObject(entry)) : [];
  const found = Object.entries(axes).flatMap(([name, list]) => {
    const added = entries.flatMap((entry) => (Object.hasOwn(entry, name) ? [entry[name]!] : []));
    const values = [...(Array.isArray(list) ? list : [null]), ...added];
    const isKnown = values.every((value) => typeof value === 'string' && !hasExpression(value));
    return isKnown ? [[name, values as string[]] as const] : [];
  });
  return Object.fromEntries(found);
}

/** A field whose values are of different kinds may be anything. */
function joined(fields: Fields, more: Fields): Fields {
  const added = Object.entries(more).map(([name, type]) => {
    const own = Object.hasOwn(fields, name) ? fields[name] : type;
    return [name, own === type ? type : 'dyn'] as const;
  });
  return { ...fields, ...Object.fromEntries(added) };
}

/** Of `include` and `exclude`. */
function checkRecords(entries: Json, at: Path): Finding[] {
  if (typeof entries === 'string' && hasExpression(entries)) return [];
  if (Array.isArray(entries) && entries.every((entry) => isPlainObject(entry))) return [];
  const remedy = 'Write a list of mappings: `- { os: linux, node: 24 }`.';
  return [{ at, message: `\`${at.at(-1)}\` of a matrix is a list of mappings.`, remedy }];
}

/** What matches nothing was meant to match something. */
function checkExcluded(exclude: Json, axes: Record<string, Json>, at: Path): Finding[] {
  if (!Array.isArray(exclude)) return [];
  return exclude.flatMap((entry: Json, index) =>
    (isPlainObject(entry) ? Object.keys(entry) : [])
      .filter((name) => !Object.hasOwn(axes, name))
      .map((name) => ({
        at: [...at, index, name],
        onKey: true,
        message: `The matrix has no list \`${name}\`, so this excludes nothing.`,
        ...suggestNearest(name, Object.keys(axes)),
      })),
  );
}

/** A text that is one expression has the type of that expression. */
function typeOfDynamic(value: Json, { task, sight }: Context): TypeName {
  if (typeof value !== 'string' || !hasExpression(value)) return sight.types.ofValue(value);
  const template = splitTemplate(value);
  const [only] = expressionsOf(template);
  if (template.fault !== undefined || only === undefined) return 'dyn';
  if (template.parts.length > 1) return 'string';
  const verdict = typeOfExpression(only.expression, task, sight);
  return 'type' in verdict ? verdict.type : 'dyn';
}
