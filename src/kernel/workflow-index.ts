import type { TaskSpec, Workflow } from '../model/index.ts';

/** What planning looks up about a workflow; made once per workflow. */
export interface WorkflowIndex {
  readonly specs: ReadonlyMap<string, TaskSpec>;
  /** Who waits for a task. */
  readonly dependants: ReadonlyMap<string, readonly string[]>;
  /** Whether any of its tasks hands files on. */
  readonly hasArtifacts: boolean;
}

const indexes = new WeakMap<Workflow, WorkflowIndex>();

export function indexOf(workflow: Workflow): WorkflowIndex {
  let index = indexes.get(workflow);
  if (index === undefined) indexes.set(workflow, (index = makeIndex(workflow)));
  return index;
}

export function specOf(workflow: Workflow, name: string): TaskSpec {
  return indexOf(workflow).specs.get(name)!;
}

/** All that a task needs, directly or not, each once. */
export function* allNeeds(workflow: Workflow, { needs }: TaskSpec): Generator<TaskSpec> {
  const seen = new Set(needs);
  // A set is gone through to its end, also to what is added on the way.
  for (const name of seen) {
    const need = specOf(workflow, name);
    yield need;
    for (const further of need.needs) seen.add(further);
  }
}

function makeIndex(workflow: Workflow): WorkflowIndex {
  const specs = new Map(workflow.tasks.map((spec) => [spec.name, spec]));
  const dependants = new Map<string, string[]>();
  for (const spec of workflow.tasks) {
    for (const need of spec.needs) {
      const waiting = dependants.get(need);
      if (waiting === undefined) dependants.set(need, [spec.name]);
      else waiting.push(spec.name);
    }
  }
  const hasArtifacts = workflow.tasks.some(({ artifacts }) => artifacts !== undefined);
  return { specs, dependants, hasArtifacts };
}
