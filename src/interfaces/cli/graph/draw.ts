import type { GraphNode, WorkflowGraph } from '../../../project/index.ts';
import { cleanLine, type Style } from '../output/index.ts';

/** Lines for a terminal: tasks level by level, what stands on one level may run at once; or the edges of a graph. */
export function drawWorkflow(graph: WorkflowGraph, style: Style): string[] {
  const drawn = graph.form === 'graph' ? drawEdges(graph, style) : drawLevels(graph.nodes, style);
  return drawn.map((line) => line.trimEnd());
}

function drawLevels(nodes: readonly GraphNode[], style: Style): string[] {
  const levels = [...Map.groupBy(nodes, ({ level }) => level)].sort(([a], [b]) => a - b);
  return levels.flatMap(([level, members], index) => [
    ...(index === 0 ? [] : [style.dim('│')]),
    ...members.flatMap((node, place) => drawNode(node, style, branchOf(level, place, members.length))),
  ]);
}

/** Several on one level are drawn as one fork. */
function branchOf(level: number, place: number, count: number): string {
  if (count === 1) return level === 0 ? '●' : '▼';
  if (place === 0) return '┌';
  return place === count - 1 ? '└' : '├';
}

function drawNode({ name, needs, marks, inner = [] }: GraphNode, style: Style, branch: string): string[] {
  const after = needs.length === 0 ? '' : style.dim(`  after ${needs.join(', ')}`);
  const special = marks.length === 0 ? '' : `  ${style.yellow(`(${cleanLine(marks.join('; '))})`)}`;
  const nested = drawLevels(inner, style).map((line) => `${style.dim('│')}     ${line}`);
  return [`${style.dim(`${branch}─`)} ${style.bold(name)}${special}${after}`, ...nested];
}

function drawEdges(graph: WorkflowGraph, style: Style): string[] {
  const byNode = Map.groupBy(graph.edges, ({ from }) => from);
  return [...byNode].flatMap(([from, edges]) => [
    style.bold(from),
    ...edges.map(({ to, if: condition }, index) => {
      const branch = index === edges.length - 1 ? '└─▶' : '├─▶';
      const when = condition === undefined ? '' : style.yellow(`  if ${cleanLine(condition)}`);
      return `  ${style.dim(branch)} ${to}${when}`;
    }),
  ]);
}
