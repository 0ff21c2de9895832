import { addressOf, scopeAt, type RunState, type TaskState } from './run-state.ts';
import { indexOf } from './workflow-index.ts';

/** The tasks whose artifacts a task is given: all that it needs, directly or not, and that have succeeded. */
export function artifactSources(state: RunState, { scope, spec }: TaskState): readonly string[] {
  const { specs, hasArtifacts } = indexOf(scopeAt(state, scope).workflow);
  // Asked for every attempt: all that a task needs is looked through only where there may be something.
  if (!hasArtifacts) return [];
  const sources: string[] = [];
  const open = [...spec.needs];
  const seen = new Set(open);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const need = specs.get(name)!;
    if (need.artifacts !== undefined) sources.push(...succeeded(state, addressOf(scope, name)));
    for (const further of need.needs) {
      if (!seen.has(further)) open.push(further);
      seen.add(further);
    }
  }
  return sources.sort();
}

/** The task itself, or its items. */
function succeeded(state: RunState, address: string): string[] {
  const task = state.tasks.get(address);
  const addresses = task?.group?.items ?? [address];
  return addresses.filter((one) => state.tasks.get(one)?.life.status === 'succeeded');
}
