import type { Condition } from './workflow.ts';

const stringLiteral = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;

/** Whether a condition asks about failures itself (`failure()`, `always()`): such a task may run after one, and in spite of fail-fast. */
export function mentionsFailure(condition: Condition | undefined): boolean {
  if (typeof condition !== 'string') return false;
  return /\b(failure|always)\s*\(/.test(condition.replaceAll(stringLiteral, '""'));
}
