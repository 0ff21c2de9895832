import { isPlainObject, type Json } from '../../base/index.ts';
import { isFunctionRef, type Capture, type TaskStatus, type Workflow } from '../../model/index.ts';
import { listOf, type TypeName, type Types } from '../expressions/types.ts';
import type { TaskDraft, WorkflowDraft } from '../workflow-draft.ts';

/** An expression sees only what has settled. */
const choices = {
  status: ['succeeded', 'failed', 'skipped', 'cancelled'] as const satisfies readonly TaskStatus[],
};

/** What expressions see of a task, as types. */
export function viewType(task: TaskDraft, types: Types): TypeName {
  const output = outputType(task, types) ?? 'dyn';
  const view = { status: 'string', error: errorType(types) };
  if (task.forEach === undefined) return types.record({ ...view, output }, choices);
  const item = types.record({ ...view, key: 'string', item: 'dyn', output }, choices);
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
  if (work.type === 'deliver') return deliveryType(types);
  return work.type === 'workflow' ? outputsType(work.workflow, types) : undefined;
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
