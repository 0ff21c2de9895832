import { expressionsOf, hasExpression, splitTemplate, type Template } from './templates.ts';
import { isMark, tokenize } from './tokens.ts';

const statusFunctions: ReadonlySet<string> = new Set(['success', 'failure', 'always']);

/** What an `if` without status functions means: only after success. */
export function withDefaultStatus(condition: string): string {
  if (calledFunctions(condition).some(({ name }) => statusFunctions.has(name))) return condition;
  // A comment at the end would swallow the parenthesis.
  const end = condition.includes('//') ? '\n)' : ')';
  return `success() && (${condition}${end}`;
}

/** A condition may be bare or stand in `${{ }}` as a whole; either way it is one expression. */
export function splitCondition(text: string): Template {
  const start = text.length - text.trimStart().length;
  const bare = text.trim();
  if (bare === '') return { parts: [], fault: { type: 'empty', offset: 0 } };
  if (!hasExpression(bare)) return { parts: [{ expression: bare, start }] };
  const { parts, fault } = splitTemplate(text.trimEnd());
  const expressions = expressionsOf({ parts });
  if (fault !== undefined) return { parts: [], fault };
  const whole =
    expressions.length === 1 && parts.every((part) => 'expression' in part || part.text.trim() === '');
  return whole ? { parts: expressions } : { parts: [], fault: { type: 'partial', offset: start } };
}

export interface Call {
  readonly name: string;
  readonly start: number;
}

/** Functions (not methods) that an expression calls. */
export function calledFunctions(expression: string): readonly Call[] {
  const tokens = tokenize(expression);
  return tokens
    .filter(
      (token, index) =>
        token.kind === 'name' && isMark(tokens[index + 1], '(') && !isMark(tokens[index - 1], '.'),
    )
    .map(({ text, start }) => ({ name: text, start }));
}

/** Status functions an expression calls, with `cancelled`, which does not exist. */
export function statusCalls(expression: string): readonly Call[] {
  if (!/success|failure|always|cancelled/.test(expression)) return [];
  return calledFunctions(expression).filter(({ name }) => statusFunctions.has(name) || name === 'cancelled');
}
