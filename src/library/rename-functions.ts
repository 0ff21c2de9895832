import {
  isFunctionRef,
  type ForEachSpec,
  type FunctionRef,
  type MigrationSpec,
  type TaskSpec,
  type Work,
  type Workflow,
} from '../model/index.ts';

type Rename = (name: string) => string;

/**
 * The workflow with other names for its functions and closures. Only where they can stand: the state and all that is
 * given as a value are the user's, and may look like one.
 */
export function renameFunctions(workflow: Workflow, rename: Rename): Workflow {
  return {
    ...workflow,
    tasks: workflow.tasks.map((task) => renameInTask(task, rename)),
    ...(workflow.outputs !== undefined && { outputs: renameRef(workflow.outputs, rename) }),
    ...(workflow.migrations !== undefined && {
      migrations: mapValues(workflow.migrations, (one) => renameInMigration(one, rename)),
    }),
  };
}

function renameInMigration({ inputs, state, outputs }: MigrationSpec, rename: Rename): MigrationSpec {
  return {
    ...(inputs !== undefined && { inputs: renameRef(inputs, rename) }),
    ...(state !== undefined && { state: renameRef(state, rename) }),
    ...(outputs !== undefined && { outputs: mapValues(outputs, (output) => renameRef(output, rename)) }),
  };
}

function mapValues<T>(record: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

function renameInTask(task: TaskSpec, rename: Rename): TaskSpec {
  const { forEach, next, update, work, approval } = task;
  return {
    ...task,
    work: renameInWork(work, rename),
    ...(task.if !== undefined && { if: renameRef(task.if, rename) }),
    ...(forEach !== undefined && { forEach: renameInForEach(forEach, rename) }),
    ...(approval !== undefined && { approval: renameRef(approval, rename) }),
    ...(update !== undefined && { update: renameRef(update, rename) }),
    ...(next !== undefined && {
      next: next.map((edge) => (edge.if === undefined ? edge : { ...edge, if: renameRef(edge.if, rename) })),
    }),
  };
}

function renameInWork(work: Work, rename: Rename): Work {
  if (work.type !== 'function' && work.type !== 'workflow') return work;
  const given = work.with === undefined ? {} : { with: renameRef(work.with, rename) };
  return work.type === 'function'
    ? { ...work, ...given, function: rename(work.function) }
    : { ...work, ...given, workflow: renameFunctions(work.workflow, rename) };
}

function renameInForEach(forEach: ForEachSpec, rename: Rename): ForEachSpec {
  return {
    ...forEach,
    in: renameRef(forEach.in, rename),
    ...(forEach.key !== undefined && { key: renameRef(forEach.key, rename) }),
  };
}

function renameRef<T>(value: T, rename: Rename): T | FunctionRef {
  return isFunctionRef(value) ? { $function: rename(value.$function) } : value;
}
