import { mentionsFailure } from '../model/index.ts';
import { isSettled } from './life.ts';
import { scopeAt, type RunState, type TaskState } from './run-state.ts';
import { dependantsOf } from './settle-task.ts';

/** The tasks that are skipped if this one is: they need it, and their condition does not ask about failures. */
export function skippedAlong(state: RunState, task: TaskState): string[] {
  // The others of a for-each go on, and a graph follows its edges.
  if (task.item !== undefined || scopeAt(state, task.scope).graph !== undefined) return [];
  const found = new Set<string>();
  const toFollow = [task];
  for (let next = toFollow.pop(); next !== undefined; next = toFollow.pop()) {
    for (const dependant of dependantsOf(state, next)) {
      const { address, spec, life } = dependant;
      if (found.has(address) || isSettled(life) || mentionsFailure(spec.if)) continue;
      found.add(address);
      toFollow.push(dependant);
    }
  }
  return [...found];
}
