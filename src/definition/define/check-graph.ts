import { mentionsFailure, type EdgeSpec } from '../../model/index.ts';
import type { Finding } from '../problems.ts';
import type { TaskDraft } from '../workflow-draft.ts';
import { taskPath, type Scope } from './scope.ts';
import { createSuggester, type Suggest } from './suggestions.ts';

/** What concerns the state machine: where it starts, where each node leads, whether it can end. */
export function checkGraph(scope: Scope): Finding[] {
  if (scope.form === 'tasks') return refuseGraphKeys(scope);
  if (scope.draft.graph === undefined) {
    return [{ at: scope.at, message: 'A graph needs `start`: the node where it begins.' }];
  }
  const suggest = createSuggester(new Set([...scope.positions.keys(), 'end']));
  const wrong = [
    ...checkStart(scope, suggest),
    ...scope.draft.tasks.flatMap((node) => checkNode(scope, node, suggest)),
  ];
  // Reachability says nothing while an edge leads nowhere.
  return wrong.length > 0 ? wrong : checkReachability(scope);
}

function refuseGraphKeys(scope: Scope): Finding[] {
  return scope.draft.tasks.flatMap((task) =>
    (['update', 'next'] as const)
      .filter((key) => task[key] !== undefined)
      .map((key) => ({
        at: [...taskPath(scope, task), key],
        onKey: true,
        message: `\`${key}\` belongs to a graph; these are tasks.`,
        remedy: 'Put the nodes under `graph`, or order the tasks with `needs`.',
        inCode: { remedy: 'Begin with `stateGraph`, or order the tasks with `needs`.' },
      })),
  );
}

function checkStart(scope: Scope, suggest: Suggest): Finding[] {
  const start = scope.draft.graph!.start;
  return scope.positions.has(start) ? [] : [unknownNode(start, [...scope.at, 'start'], suggest)];
}

function unknownNode(name: string, at: Finding['at'], suggest: Suggest): Finding {
  return { at, message: `There is no node \`${name}\`.`, ...suggest(name) };
}

function checkNode(scope: Scope, node: TaskDraft, suggest: Suggest): Finding[] {
  const at = taskPath(scope, node);
  const edges = node.next ?? [];
  if (node.if !== undefined) {
    const remedy = 'Put it on the edge: `next: [{ if: …, to: … }]`.';
    const inCode = { remedy: `Put it on the edge: \`.edge('${node.name}', …, (state) => …)\`.` };
    return [{ at: [...at, 'if'], message: 'A node of a graph has no `if`.', remedy, inCode }];
  }
  if (edges.length === 0) {
    const message = `Nothing follows \`${node.name}\`.`;
    const remedy = 'Add `next`: the node that follows, or `end`.';
    const inCode = { remedy: `Add an edge: \`.edge('${node.name}', 'end')\`, or to the node that follows.` };
    return [{ at, onKey: true, message, remedy, inCode }];
  }
  return [
    ...edges.flatMap((edge, index) =>
      edge.to === 'end' || scope.positions.has(edge.to)
        ? []
        : [unknownNode(edge.to, [...at, 'next', index, 'to'], suggest)],
    ),
    ...neverTaken(edges).map((index) => ({
      at: [...at, 'next', index],
      message: 'This edge is never taken: one before it has no `if`.',
      remedy: 'Put the edge without `if` last.',
      inCode: {
        message: `The edge from \`${node.name}\` to \`${edges[index]!.to}\` is never taken: one before it has no condition.`,
        remedy: 'Add the edge without a condition last.',
      },
    })),
  ];
}

/** Behind an edge without `if` only those are tried that ask for failure. */
function neverTaken(edges: readonly EdgeSpec[]): number[] {
  const sure = edges.findIndex((edge) => edge.if === undefined);
  if (sure < 0) return [];
  return [...edges.keys()].filter((index) => index > sure && !mentionsFailure(edges[index]!.if));
}

function checkReachability(scope: Scope): Finding[] {
  const { tasks, graph } = scope.draft;
  const targets = new Map(tasks.map((node) => [node.name, (node.next ?? []).map((edge) => edge.to)]));
  const reached = walk([graph!.start], (name) => targets.get(name) ?? []);
  const canEnd = walk(['end'], originsOf(targets));
  return tasks.flatMap((node): Finding[] => {
    const at = taskPath(scope, node);
    if (!reached.has(node.name)) {
      const message = `No edge leads to \`${node.name}\`.`;
      const remedy = 'Let the `next` of another node name it, or remove it.';
      const inCode = { remedy: `Add an edge to it: \`.edge(…, '${node.name}')\`, or remove it.` };
      return [{ at, onKey: true, message, remedy, inCode }];
    }
    if (canEnd.has(node.name)) return [];
    const message = `From \`${node.name}\` the graph can never reach \`end\`.`;
    return [{ at: [...at, 'next'], message, remedy: 'Add an edge that leads out.' }];
  });
}

function originsOf(targets: ReadonlyMap<string, readonly string[]>): (name: string) => readonly string[] {
  const origins = new Map<string, string[]>();
  for (const [from, list] of targets) {
    for (const to of list) {
      const known = origins.get(to);
      if (known === undefined) origins.set(to, [from]);
      else known.push(from);
    }
  }
  return (name) => origins.get(name) ?? [];
}

function walk(from: readonly string[], follow: (name: string) => readonly string[]): ReadonlySet<string> {
  const seen = new Set(from);
  // A set that grows while it is iterated is iterated to its end.
  for (const name of seen) for (const next of follow(name)) seen.add(next);
  return seen;
}
