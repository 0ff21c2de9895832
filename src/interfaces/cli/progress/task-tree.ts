import type { WatchedTask } from '../../../library/index.ts';

/** One row of what runs or waits: a task, or one that consists of others, which stand below it. */
export type TreeRow = { readonly name: string; readonly depth: number } & (
  | { readonly task: WatchedTask }
  /** `hidden`: it stands for so many tasks that are not shown. */
  | { readonly words: string; readonly hidden?: number }
);

/** Of one group: what is there more is counted. */
const mostOfGroup = 8;

interface Node {
  readonly task: WatchedTask;
  readonly below: Node[];
  rank: number;
}

/**
 * Tasks below what they belong to, the more urgent first. One that stands alone below its group is shown in its stead, by its whole
 * address: most screens are low.
 */
export function taskTree(
  tasks: readonly WatchedTask[],
  isShown: (task: WatchedTask) => boolean,
  rankOf: (task: WatchedTask) => number,
): TreeRow[] {
  const byAddress = new Map(tasks.map((task) => [task.address, task]));
  const nodes = new Map<string, Node>();
  const roots: Node[] = [];
  const nodeOf = (task: WatchedTask, rank: number): Node => {
    const known = nodes.get(task.address);
    if (known !== undefined) {
      known.rank = Math.min(known.rank, rank);
      if (task.parent !== undefined) nodeOf(byAddress.get(task.parent)!, rank);
      return known;
    }
    const node: Node = { task, below: [], rank };
    nodes.set(task.address, node);
    (task.parent === undefined ? roots : nodeOf(byAddress.get(task.parent)!, rank).below).push(node);
    return node;
  };
  for (const task of tasks) if (isShown(task)) nodeOf(task, rankOf(task));
  const settled = settledByParent(tasks);
  return inOrder(roots).flatMap((node) => rowsOf(node, { depth: 0, settled }));
}

interface Place {
  readonly depth: number;
  readonly settled: ReadonlyMap<string, { readonly done: number; readonly all: number }>;
}

function rowsOf(node: Node, { depth, settled }: Place): TreeRow[] {
  const only = onlyLeaf(node);
  if (only !== undefined)
    return [{ name: nameIn(only, depth === 0 ? undefined : node.task.parent), depth, task: only }];
  const { done, all } = settled.get(node.task.address) ?? { done: 0, all: 0 };
  const below = inOrder(node.below);
  const shown = below.slice(0, mostOfGroup);
  const hidden = below.slice(mostOfGroup).reduce((count, other) => count + leavesOf(other), 0);
  return [
    {
      name: nameIn(node.task, depth === 0 ? undefined : node.task.parent),
      depth,
      words: `${done} of ${all} done`,
    },
    ...shown.flatMap((other) => rowsOf(other, { depth: depth + 1, settled })),
    ...(hidden === 0
      ? []
      : [{ name: '…', depth: depth + 1, words: `and ${hidden} more that run or wait`, hidden }]),
  ];
}

/** Below its parent, what is said there need not be repeated. */
function nameIn({ address }: WatchedTask, parent: string | undefined): string {
  return parent === undefined ? address : address.slice(parent.length).replace(/^\./, '');
}

function onlyLeaf({ task, below }: Node): WatchedTask | undefined {
  if (below.length === 0) return task;
  return below.length === 1 ? onlyLeaf(below[0]!) : undefined;
}

function leavesOf({ below }: Node): number {
  return below.length === 0 ? 1 : below.reduce((count, node) => count + leavesOf(node), 0);
}

/** Equals stay in the order in which they came into being. */
function inOrder(nodes: readonly Node[]): Node[] {
  return nodes.toSorted((a, b) => a.rank - b.rank);
}

const ended: ReadonlySet<string> = new Set(['succeeded', 'failed', 'skipped', 'cancelled']);

function settledByParent(tasks: readonly WatchedTask[]): Place['settled'] {
  const counts = new Map<string, { done: number; all: number }>();
  for (const { parent, status } of tasks) {
    if (parent === undefined) continue;
    const count = counts.get(parent) ?? { done: 0, all: 0 };
    counts.set(parent, { done: count.done + (ended.has(status) ? 1 : 0), all: count.all + 1 });
  }
  return counts;
}
