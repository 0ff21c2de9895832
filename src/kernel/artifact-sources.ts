import { addressOf, scopeAt, type RunState, type TaskState } from './run-state.ts';
import { allNeeds, indexOf } from './workflow-index.ts';

/** The tasks whose artifacts a task is given: all that it needs, directly or not, and that have succeeded. */
export function artifactSources(state: RunState, { scope, spec }: TaskState): readonly string[] {
  const { workflow } = scopeAt(state, scope);
  // Asked for every attempt: all that a task needs is looked through only where there may be something.
  if (!indexOf(workflow).hasArtifacts) return [];
  const sources: string[] = [];
  for (const { name, artifacts } of allNeeds(workflow, spec))
    if (artifacts !== undefined) sources.push(...succeeded(state, addressOf(scope, name)));
  return sources.sort();
}

/** The task itself, or its items. */
function succeeded(state: RunState, address: string): string[] {
  const task = state.tasks.get(address);
  const addresses = task?.group?.items ?? [address];
  return addresses.filter((one) => state.tasks.get(one)?.life.status === 'succeeded');
}
