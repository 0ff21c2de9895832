import type { CheckSpec, Dynamic } from '../model/index.ts';

const longestValue = 200;

/** The check as a person would type it, with the values that are meant by its variables. */
export function shownCheck(check: CheckSpec, render: (value: Dynamic) => string): string {
  const { run } = check.work;
  if (typeof run !== 'string') return run.map(render).join(' ');
  const values = Object.entries(checkValues(check, render)).map(
    ([name, value]) => `${name}=${value.slice(0, longestValue)}`,
  );
  return [run.trim(), ...(values.length === 0 ? [] : [`with ${values.join(', ')}`])].join('\n');
}

/** An agent that runs the check itself needs them: without, the same text would find something else. */
export function checkValues(
  { work: { env } }: CheckSpec,
  render: (value: Dynamic) => string,
): Record<string, string> {
  const own = Object.entries(env).filter(([name]) => /^PITON_VALUE_\d+$/.test(name));
  return Object.fromEntries(own.map(([name, value]) => [name, render(value)]));
}

/** What the agent may run by itself: not a text with variables that only Piton knows. */
export function typableCheck({ work: { run } }: CheckSpec): readonly string[] {
  const text = typeof run === 'string' ? run.trim() : run.join(' ');
  return /\$\{\{|PITON_/.test(text) ? [] : [text];
}
