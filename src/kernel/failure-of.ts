import { asError, errorField, errorText, hasCode, PitonError, stackText } from '../base/index.ts';
import type { Failure } from '../model/index.ts';
import type { World } from './world.ts';

/** What an expression threw, as the reason of a failure. A closure can read every secret of this process. */
export function failureOf(thrown: unknown, { redact }: Pick<World, 'redact'>): Failure {
  const error = asError(thrown);
  const code =
    error instanceof PitonError || hasCode(error, 'EXPRESSION_FAILED') ? error.code : 'EXPRESSION_FAILED';
  // Of a closure of the user: what it threw is the cause.
  const cause = errorField(error, 'cause');
  const stack = cause instanceof Error ? stackText(cause) : undefined;
  const message = redact(errorText(error, 'message') ?? '');
  return { code, message, ...(stack !== undefined && { stack: redact(stack) }), retryable: false };
}
