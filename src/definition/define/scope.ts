import type { Path } from '../problems.ts';
import type { TaskDraft, WorkflowDraft } from '../workflow-draft.ts';

/** The tasks of one workflow, which share one space of names. */
export interface Scope {
  readonly draft: WorkflowDraft;
  readonly form: 'tasks' | 'graph';
  /** Of the workflow, within the outermost one. */
  readonly at: Path;
  /** Position by name; of the first, where a name is given twice. */
  readonly positions: ReadonlyMap<string, number>;
  /** An inline body sees what is around it. */
  readonly inherits: boolean;
}

export function openScope(draft: WorkflowDraft, at: Path, inherits: boolean): Scope {
  const positions = new Map<string, number>();
  draft.tasks.forEach(({ name }, position) => positions.has(name) || positions.set(name, position));
  return { draft, form: formOf(draft), at, positions, inherits };
}

export function formOf(draft: WorkflowDraft): Scope['form'] {
  return draft.form ?? (draft.graph === undefined ? 'tasks' : 'graph');
}

export function taskPath({ at, form }: Pick<Scope, 'at' | 'form'>, { name, work }: TaskDraft): Path {
  // The task that delivers is written as a key of the workflow.
  return work.type === 'deliver' ? [...at, 'deliver'] : [...at, form, name];
}
