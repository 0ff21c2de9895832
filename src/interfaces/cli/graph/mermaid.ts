import type { WorkflowGraph } from '../../../project/index.ts';

/** A flow chart as Mermaid reads it. Names become labels: as identifiers, some of them would be words of its language. */
export function mermaidOf({ nodes, edges }: WorkflowGraph): string[] {
  const names = [
    ...new Set([...nodes.map(({ name }) => name), ...edges.flatMap(({ from, to }) => [from, to])]),
  ];
  const ids = new Map(names.map((name, index) => [name, `t${index}`]));
  const asking = nodes.filter(({ marks }) => marks.includes('approval') || marks.includes('question'));
  const gates = new Set(asking.map(({ name }) => name));
  return [
    'flowchart TD',
    ...names.map((name) => `  ${ids.get(name)}${shape(label(name), gates.has(name))}`),
    ...edges.map(({ from, to, if: condition }) => {
      const when = condition === undefined ? '' : `|${label(condition)}|`;
      return `  ${ids.get(from)} -->${when} ${ids.get(to)}`;
    }),
  ];
}

function shape(text: string, asksFirst: boolean): string {
  return asksFirst ? `{{${text}}}` : `[${text}]`;
}

function label(text: string): string {
  return `"${text.replace(/["#<>&]/g, (character) => `#${character.codePointAt(0)};`).replace(/\s+/g, ' ')}"`;
}
