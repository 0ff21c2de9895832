import { isFunctionRef, type TaskSpec, type Workflow } from './workflow.ts';

/** The names of all functions and closures a workflow calls, those of nested workflows included. */
export function* functionsOf(workflow: Workflow): Generator<string> {
  if (isFunctionRef(workflow.outputs)) yield workflow.outputs.$function;
  for (const task of workflow.tasks) yield* functionsOfTask(task);
}

/** The names of the functions that tasks without a `version` are done by; a task that has one speaks for all that is inside of it. */
export function* unversionedFunctions({ tasks }: Pick<Workflow, 'tasks'>): Generator<string> {
  for (const { version, work } of tasks) {
    if (version !== undefined) continue;
    if (work.type === 'workflow') yield* unversionedFunctions(work.workflow);
    else if (work.type === 'function') yield work.function;
  }
}

function* functionsOfTask(task: TaskSpec): Generator<string> {
  const { work, if: condition, forEach, approval, update, next } = task;
  const dynamic = [
    condition,
    approval,
    forEach?.in,
    forEach?.key,
    update,
    work.with,
    ...(next ?? []).map((edge) => edge.if),
  ];
  for (const value of dynamic) if (isFunctionRef(value)) yield value.$function;
  if (work.type === 'workflow') yield* functionsOf(work.workflow);
  else if (work.type === 'function') yield work.function;
}
