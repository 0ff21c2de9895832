import type { CheckSpec } from '../model/index.ts';

/** The check as a person would type it. */
export function shownCheck({ work: { run } }: CheckSpec): string {
  return typeof run === 'string' ? run.trim() : run.join(' ');
}

/** What the agent may run by itself: not a text with variables that only Piton knows. */
export function typableCheck(check: CheckSpec): readonly string[] {
  const text = shownCheck(check);
  return /\$\{\{|PITON_/.test(text) ? [] : [text];
}
