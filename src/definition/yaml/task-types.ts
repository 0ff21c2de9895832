import { isPlainObject, type Json } from '../../base/index.ts';
import {
  isFunctionRef,
  type AnswerType,
  type Capture,
  type TaskStatus,
  type Workflow,
} from '../../model/index.ts';
import { hasExpression } from '../expressions/templates.ts';
import { choicesIn, listOf, type TypeName, type Types } from '../expressions/types.ts';
import type { AskDraft, TaskDraft, WorkflowDraft } from '../workflow-draft.ts';

/** An expression sees only what has settled. */
const choices = {
  status: ['succeeded', 'failed', 'skipped', 'cancelled'] as const satisfies readonly TaskStatus[],
};

/** What expressions see of a task, as types. */
export function viewType(task: TaskDraft, types: Types): TypeName {
  const output = outputType(task, types) ?? 'dyn';
  const view = { status: 'string', error: errorType(types) };
  const declared = task.output === undefined ? {} : choicesIn({ output: task.output });
  const own = { ...choices, ...declared, ...answerChoices(task.work) };
  if (task.forEach === undefined) return types.record({ ...view, output }, own);
  const item = types.record({ ...view, key: 'string', item: 'dyn', output }, own);
  const fields = { ...view, output: listOf(output), outputs: listOf(output), items: listOf(item) };
  return types.record(fields, choices);
}

export function errorType(types: Types): TypeName {
  return types.record({ code: 'string', message: 'string', stack: 'string', retryable: 'bool' });
}

/** What the task gives (one item of it, in a for-each); undefined if no schema, command, agent or nested workflow tells. */
export function outputType(task: TaskDraft, types: Types): TypeName | undefined {
  if (task.output !== undefined) return types.ofSchema(task.output);
  const { work } = task;
  if (work.type === 'command') return isText(work.capture) ? 'string' : undefined;
  if (work.type === 'agent') return 'string';
  if (work.type === 'ask') return answerType(work);
  if (work.type === 'deliver') return deliveryType(types);
  return work.type === 'workflow' ? outputsType(work.workflow, types) : undefined;
}

const answers: Readonly<Record<AnswerType, TypeName>> = {
  string: 'string',
  number: 'int',
  integer: 'int',
  boolean: 'bool',
  choice: 'dyn',
};

function answerType({ answer = 'string', choices: given }: AskDraft): TypeName {
  if (given === undefined) return answers[answer];
  const kinds = new Set(Array.isArray(given) ? given.map((choice) => typeof choice) : []);
  const [kind] = kinds;
  return kinds.size === 1 && kind === 'string' ? 'string' : 'dyn';
}

/** The texts that an answer is one of, where the file has them all. */
function answerChoices(work: TaskDraft['work']): { readonly output?: readonly string[] } {
  const given = work.type === 'ask' ? work.choices : undefined;
  const isKnown =
    Array.isArray(given) && given.every((choice) => typeof choice === 'string' && !hasExpression(choice));
  return isKnown ? { output: given as readonly string[] } : {};
}

function deliveryType(types: Types): TypeName {
  const text = 'string';
  return types.record({ url: text, branch: text, base: text, commit: text, existed: 'bool' });
}

/** Of a command without a schema. */
function isText(capture: Capture | undefined): boolean {
  return capture === undefined || capture === 'text' || capture === 'last-line';
}

/** What a workflow gives back: its `outputs`, else the state of its graph, else the output of every task by name. */
function outputsType(
  { outputs, graph, tasks }: Workflow | WorkflowDraft,
  types: Types,
): TypeName | undefined {
  if (isFunctionRef(outputs)) return undefined;
  if (outputs !== undefined) return isPlainObject(outputs) ? types.ofValue(outputs as Json) : undefined;
  if (graph !== undefined) return stateType(graph.state ?? {}, types);
  const fields = tasks.map((task) => {
    const type = outputType(task, types) ?? 'dyn';
    return [task.name, task.forEach === undefined ? type : listOf(type)] as const;
  });
  return types.record(Object.fromEntries(fields));
}

/** Its fields are known, their types are not: what it begins with need not be what it becomes. */
export function stateType(state: object, types: Types): TypeName {
  return types.record(Object.fromEntries(Object.keys(state).map((name) => [name, 'dyn'])));
}
