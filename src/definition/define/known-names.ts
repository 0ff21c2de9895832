import type { Json } from '../../base/index.ts';
import type { Workflow } from '../../model/index.ts';
import type { TaskDraft, WorkflowDraft } from '../workflow-draft.ts';

/**
 * Names with hyphens that expressions of this workflow may mean: of tasks and inputs, and of fields as far as schemas,
 * the state or literal lists show them.
 */
export function hyphenatedNames(draft: WorkflowDraft, outer: ReadonlySet<string>): ReadonlySet<string> {
  const names = new Set(outer);
  addNames(Object.keys(draft.inputs ?? {}), names);
  addKeys(
    Object.values(draft.inputs ?? {}).map(({ schema }) => schema),
    names,
  );
  addKeys(draft.graph?.state, names);
  for (const task of draft.tasks) addTask(task, names);
  return names;
}

function addTask(task: TaskDraft, names: Set<string>): void {
  addNames([task.name], names);
  addKeys(task.output, names);
  addKeys(task.forEach?.in as Json | undefined, names);
  if (task.work.type === 'workflow') addOutputs(task.work.workflow, names);
}

/** What a nested workflow gives back: its outputs, else the output of each task, else the state of the graph. */
function addOutputs({ outputs, tasks, graph }: Workflow | WorkflowDraft, names: Set<string>): void {
  addKeys(outputs as Json | undefined, names);
  addKeys(graph?.state, names);
  for (const { name, output } of tasks) {
    addNames([name], names);
    addKeys(output, names);
  }
}

function addKeys(value: Json | undefined, names: Set<string>): void {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) addNames(Object.keys(value), names);
  for (const entry of Object.values(value)) addKeys(entry, names);
}

function addNames(candidates: readonly string[], names: Set<string>): void {
  for (const name of candidates) if (name.includes('-')) names.add(name);
}
