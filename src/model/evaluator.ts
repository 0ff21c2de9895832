import type { Json } from '../base/index.ts';
import type { Condition, Dynamic } from './workflow.ts';

/** What expressions see: inputs, tasks, needs, state, output, the item of a for-each… */
export type Variables = Readonly<Record<string, unknown>>;

/**
 * Evaluates what a workflow leaves open. Pure as far as the user's closures are.
 * Throws PitonError `EXPRESSION_FAILED`, naming the expression.
 */
export interface Evaluator {
  test(condition: Condition, variables: Variables): boolean;
  /** The value with every `${{ }}` replaced. A string that is one expression gives that expression's value, not its text. */
  render(value: Dynamic, variables: Variables): Json;
  /** Whether a text contains what a pattern of `retry` or `errors` describes. */
  finds(pattern: string, flags: string, text: string): boolean;
}
