import type { NeedsGraph } from './check-needs.ts';

/** After so many steps upwards, looking at all that comes after the other task is cheaper, as it is remembered. */
const mostSteps = 1_000;

/** Whether the task at `position` needs, directly or through others, the one at `other`. */
export type IsNeeded = (other: number, position: number) => boolean;

export function createAncestry(graph: NeedsGraph): IsNeeded {
  const descendants = new Map<number, ReadonlySet<number>>();
  return (other, position) => {
    const known = descendants.get(other) ?? lookUpwards(graph, other, position);
    if (typeof known === 'boolean') return known;
    const after = known ?? allAfter(graph, other);
    descendants.set(other, after);
    return after.has(position);
  };
}

/** undefined: it would take too long. */
function lookUpwards(graph: NeedsGraph, other: number, position: number): boolean | undefined {
  const seen = new Set([position]);
  for (const current of seen) {
    if (seen.size > mostSteps) return undefined;
    for (const need of graph.needs[current]!) {
      if (need === other) return true;
      // What ranks before `other` cannot need it. Cycles have no rank and are reported anyway.
      if (graph.rank[need]! > graph.rank[other]!) seen.add(need);
    }
  }
  return false;
}

function allAfter(graph: NeedsGraph, other: number): ReadonlySet<number> {
  const seen = new Set<number>();
  const waiting = [other];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const dependant of graph.neededBy[next]!) {
      if (seen.has(dependant)) continue;
      seen.add(dependant);
      waiting.push(dependant);
    }
  }
  return seen;
}
