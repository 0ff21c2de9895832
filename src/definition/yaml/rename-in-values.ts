import type { Json } from '../../base/index.ts';
import { mapTexts } from '../define/expression-sites.ts';
import { renameVariables } from '../expressions/rewrite.ts';
import { expressionsOf, splitTemplate } from '../expressions/templates.ts';

/** Loop variables with hyphens under their other name. Each keeps its length, so that places in the text stay right. */
export function renameInValue(value: unknown, variables: ReadonlySet<string>): Json | undefined {
  if (value === undefined) return undefined;
  return mapTexts(value as Json, (text) => renameInText(text, variables));
}

/** A command: shell text, or a program and its arguments. */
export function renameInRun(
  run: string | readonly (string | number | boolean)[],
  variables: ReadonlySet<string>,
): string | readonly string[] {
  if (typeof run === 'string') return renameInText(run, variables);
  return run.map((part) => renameInText(String(part), variables));
}

export function renameInText(text: string, variables: ReadonlySet<string>): string {
  if (variables.size === 0) return text;
  let renamed = text;
  for (const { expression, start } of expressionsOf(splitTemplate(text))) {
    const end = start + expression.length;
    renamed = renamed.slice(0, start) + renameVariables(expression, variables) + renamed.slice(end);
  }
  return renamed;
}
