import { someNames } from '../../base/index.ts';
import type { Finding } from '../problems.ts';
import type { TaskDraft } from '../workflow-draft.ts';
import type { NeedsGraph } from './check-needs.ts';
import { taskPath, type Scope } from './scope.ts';

/** Locks for tasks that may write the same files at the same time, by position. */
export interface WriteLocks {
  readonly locks: ReadonlyMap<number, string>;
  readonly suggestions: readonly Finding[];
}

/** Above this many writers their order is not looked at: all of them share one lock. Comparing every pair would take too long. */
const mostCompared = 1_024;

export function shareWriteLocks(scope: Scope, graph: NeedsGraph): WriteLocks {
  const { tasks } = scope.draft;
  // Nodes of a graph run one after the other.
  const candidates = scope.form === 'graph' ? [] : [...tasks.keys()];
  const writers = candidates.filter((position) => (tasks[position]!.writes ?? []).length > 0);
  if (writers.length < 2) return { locks: new Map(), suggestions: [] };
  const groups = writers.length > mostCompared ? [writers] : groupWriters(writers, tasks, graph);
  const locks = groups.flatMap((group, index) =>
    group.map((position) => [position, `writes:${index + 1}`] as const),
  );
  return { locks: new Map(locks), suggestions: groups.map((group) => suggestOrder(scope, group)) };
}

/** Connects whoever may overlap without being ordered; groups of one need no lock. */
function groupWriters(
  writers: readonly number[],
  tasks: readonly TaskDraft[],
  graph: NeedsGraph,
): number[][] {
  const isBefore = orderOfWriters(writers, graph);
  const groupOf = new Map(writers.map((position) => [position, [position]]));
  writers.forEach((first, index) => {
    for (const second of writers.slice(index + 1)) {
      const ordered = isBefore(first, second) || isBefore(second, first);
      if (!ordered && mayOverlap(tasks[first]!, tasks[second]!)) merge(groupOf, first, second);
    }
  });
  return [...new Set(groupOf.values())].filter((group) => group.length > 1);
}

function merge(groupOf: Map<number, number[]>, first: number, second: number): void {
  const [into, from] = [groupOf.get(first)!, groupOf.get(second)!];
  if (into === from) return;
  into.push(...from);
  for (const position of from) groupOf.set(position, into);
}

/** Passes sets of writers (one bit each) down the needs, so that the order of every pair is known at once. */
function orderOfWriters(
  writers: readonly number[],
  graph: NeedsGraph,
): (first: number, second: number) => boolean {
  const bitOf = new Map(writers.map((position, index) => [position, 1n << BigInt(index)]));
  const order = [...graph.rank.keys()].sort((a, b) => graph.rank[a]! - graph.rank[b]!);
  const before = new Map<number, bigint>();
  for (const position of order) {
    let found = 0n;
    for (const need of graph.needs[position]!) found |= before.get(need)! | (bitOf.get(need) ?? 0n);
    before.set(position, found);
  }
  return (first, second) => (before.get(second)! & bitOf.get(first)!) !== 0n;
}

function mayOverlap(first: TaskDraft, second: TaskDraft): boolean {
  return first.writes!.some((one) => second.writes!.some((other) => patternsMayOverlap(one, other)));
}

/** Conservative: only what comes before the first wildcard is compared, so `src/*.ts` and `src/*.md` count as overlapping. */
export function patternsMayOverlap(one: string, other: string): boolean {
  const [first, second] = [literalPrefix(one), literalPrefix(other)];
  return covers(first, second) || covers(second, first);
}

interface Prefix {
  readonly text: string;
  /** No wildcard: one file, or everything in one folder. */
  readonly exact: boolean;
}

function literalPrefix(pattern: string): Prefix {
  const normal = pattern.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
  const wildcard = normal.search(/[*?[{]/);
  return wildcard < 0 ? { text: normal, exact: true } : { text: normal.slice(0, wildcard), exact: false };
}

function covers(one: Prefix, other: Prefix): boolean {
  if (!one.exact) return other.text.startsWith(one.text);
  return other.text === one.text || other.text.startsWith(`${one.text}/`);
}

function suggestOrder(scope: Scope, group: readonly number[]): Finding {
  const names = group.map((position) => `\`${scope.draft.tasks[position]!.name}\``);
  return {
    at: [...taskPath(scope, scope.draft.tasks[group.at(-1)!]!), 'writes'],
    message: `${someNames(names)} may write the same files, so they will not run at the same time, in no certain order.`,
    remedy: 'Order them with `needs`, or let them write different places.',
  };
}
