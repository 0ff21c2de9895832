import type { Workflow } from '../../../model/index.ts';
import { edgesOf } from './levels.ts';

/** A flow chart as Mermaid reads it. Names become labels: as identifiers, some of them would be words of its language. */
export function mermaidOf(workflow: Workflow): string[] {
  const edges = edgesOf(workflow);
  const names = [
    ...new Set([...workflow.tasks.map(({ name }) => name), ...edges.flatMap(({ from, to }) => [from, to])]),
  ];
  const ids = new Map(names.map((name, index) => [name, `t${index}`]));
  const approvals = new Set(
    workflow.tasks.filter(({ approval }) => approval !== undefined).map(({ name }) => name),
  );
  return [
    'flowchart TD',
    ...names.map((name) => `  ${ids.get(name)}${shape(label(name), approvals.has(name))}`),
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
