import type { Finding } from '../problems.ts';
import type { TaskDraft } from '../workflow-draft.ts';
import { taskPath, type Scope } from './scope.ts';
import { createSuggester, type Suggest } from './suggestions.ts';

/** Who needs whom, by position: free of what is unknown, doubled or circular by itself. */
export interface NeedsGraph {
  readonly needs: readonly (readonly number[])[];
  /** Those who need it. */
  readonly neededBy: readonly (readonly number[])[];
  /** A place in an order in which every task comes after its needs; -1 for tasks on a cycle or behind one. */
  readonly rank: readonly number[];
}

export function checkNeeds(scope: Scope): { graph: NeedsGraph; findings: Finding[] } {
  if (scope.form === 'graph') return { graph: noNeeds, findings: refuseNeeds(scope) };
  const suggest = createSuggester(scope.positions);
  const findings = scope.draft.tasks.flatMap((task) => checkNeedsOf(scope, task, suggest));
  const needs = scope.draft.tasks.map((task, position) => knownNeeds(scope, task, position));
  const neededBy = invert(needs);
  const rank = rankTasks(needs, neededBy);
  return { graph: { needs, neededBy, rank }, findings: [...findings, ...describeCycles(scope, needs, rank)] };
}

/** Of a state machine, where nobody asks for the order of nodes. */
const noNeeds: NeedsGraph = { needs: [], neededBy: [], rank: [] };

function refuseNeeds(scope: Scope): Finding[] {
  return scope.draft.tasks
    .filter((task) => (task.needs ?? []).length > 0)
    .map((task) => ({
      at: [...taskPath(scope, task), 'needs'],
      message: 'A node of a graph has no `needs`: it starts when an edge leads to it.',
      remedy: 'Say what follows it with `next`.',
      inCode: { remedy: 'Say what follows it with `.edge`.' },
    }));
}

function checkNeedsOf(scope: Scope, task: TaskDraft, suggest: Suggest): Finding[] {
  const seen = new Set<string>();
  return (task.needs ?? []).flatMap((need, index) => {
    const at = [...taskPath(scope, task), 'needs', index];
    const repeated = seen.has(need);
    seen.add(need);
    if (repeated) return [{ at, message: `\`${need}\` is named twice in the needs of \`${task.name}\`.` }];
    if (need === task.name) return [{ at, message: `\`${task.name}\` needs itself.`, remedy: 'Remove it.' }];
    return scope.positions.has(need)
      ? []
      : [{ at, message: `There is no task \`${need}\`.`, ...suggest(need) }];
  });
}

function knownNeeds(scope: Scope, task: TaskDraft, position: number): number[] {
  const found = new Set<number>();
  for (const need of task.needs ?? []) {
    const other = scope.positions.get(need);
    if (other !== undefined && other !== position) found.add(other);
  }
  return [...found];
}

function invert(needs: readonly (readonly number[])[]): number[][] {
  const neededBy: number[][] = needs.map(() => []);
  needs.forEach((list, position) => list.forEach((need) => neededBy[need]!.push(position)));
  return neededBy;
}

function rankTasks(needs: NeedsGraph['needs'], neededBy: NeedsGraph['neededBy']): number[] {
  const unmet = needs.map((list) => list.length);
  const rank = needs.map(() => -1);
  const ready = [...unmet.keys()].filter((position) => unmet[position] === 0);
  for (let next = 0; next < ready.length; next++) {
    const position = ready[next]!;
    rank[position] = next;
    for (const dependant of neededBy[position]!) if (--unmet[dependant]! === 0) ready.push(dependant);
  }
  return rank;
}

function describeCycles(scope: Scope, needs: NeedsGraph['needs'], rank: readonly number[]): Finding[] {
  const { tasks } = scope.draft;
  return findCycles(needs, rank).map((cycle) => {
    const names = [...cycle, cycle[0]!].map((position) => tasks[position]!.name);
    const shown = names.length > 22 ? names.toSpliced(20, names.length - 21, '…') : names;
    return {
      at: [...taskPath(scope, tasks[cycle[0]!]!), 'needs'],
      message: `These tasks wait for each other: ${shown.join(' → ')} (each needs the next).`,
      remedy: 'Remove one of these needs.',
    };
  });
}

/** Every unranked task has an unranked need, so following them ends on a cycle; a path already walked is not walked again. */
function findCycles(needs: NeedsGraph['needs'], rank: readonly number[]): number[][] {
  const walkOf = new Map<number, number>();
  const cycles: number[][] = [];
  rank.forEach((ranked, start) => {
    if (ranked >= 0 || walkOf.has(start)) return;
    const path: number[] = [];
    let position = start;
    while (!walkOf.has(position)) {
      walkOf.set(position, start);
      path.push(position);
      position = needs[position]!.find((need) => rank[need]! < 0)!;
    }
    if (walkOf.get(position) === start) cycles.push(path.slice(path.indexOf(position)));
  });
  return cycles;
}
