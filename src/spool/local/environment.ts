import { attemptMarker, insideOf, loaderVariables, PitonError } from '../../base/index.ts';
import { isContained, type SpoolOrder } from '../order.ts';

/** Crash points, and trust, are for the process that was told so, not for what it starts. */
const ownVariables = ['PITON_CRASH_AT', 'PITON_STOP_AT', 'PITON_CRASH_LOG', 'PITON_TRUST'];

/** The name that every process of the attempt carries in its environment, unless it wipes it. */
export function markerOf(attempt: string): string {
  return attemptMarker + attempt;
}

export function childEnvironment(order: SpoolOrder, resultFile: string): Record<string, string> {
  const env: Record<string, string> = { ...order.env };
  for (const name of ownVariables) delete env[name];
  // The sandbox sets them inside of itself.
  if (isContained(order)) for (const name of Object.keys(loaderVariables(env))) delete env[name];
  // The markers of outer levels go on: whoever ends an outer attempt must find what runs in here.
  for (const outer of insideOf(process.env)) env[markerOf(outer)] = '1';
  return Object.assign(env, {
    PITON_RUN: order.run,
    PITON_TASK: order.task,
    PITON_ATTEMPT: String(order.number),
    PITON_ATTEMPT_ID: order.attempt,
    PITON_KEY: order.key,
    PITON_OUTPUT: resultFile,
    [markerOf(order.attempt)]: '1',
  });
}

/** Shells drop variables whose names they cannot spell, and a name with `/` would leave the spool. */
export function assertAttemptName(attempt: string): void {
  if (/^[A-Za-z0-9_]{1,64}$/.test(attempt)) return;
  throw new PitonError('SPOOL_ATTEMPT_INVALID', `'${attempt}' is not the id of an attempt.`, {
    attempt,
    remedy: 'An id consists of 1 to 64 letters, digits and underscores.',
  });
}
