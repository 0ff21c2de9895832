import { isPlainObject, type Json } from '../../base/index.ts';
import { expressionsOf, hasExpression, splitTemplate } from '../expressions/templates.ts';
import { elementOf, type TypeName } from '../expressions/types.ts';
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
  const items = Object.entries(lists as Record<string, Json>).map(
    ([name, list]) => [name, typeOfItem(list, [...at, name], context)] as const,
  );
  const fields = Object.fromEntries(items.map(([name, { type }]) => [name, type]));
  return {
    type: context.sight.types.record(fields),
    findings: items.flatMap(([, { findings }]) => findings),
  };
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
