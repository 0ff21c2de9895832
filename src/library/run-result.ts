import { outputsOfScope, scopeAt, type RunState } from '../kernel/index.ts';
import type { Failure } from '../model/index.ts';

/** How a run ended. Failing is a value, not an exception. */
export type RunResult<Outputs, State> =
  | { readonly status: 'succeeded'; readonly outputs: Outputs; readonly state: State; readonly error?: never }
  | {
      readonly status: 'failed' | 'cancelled';
      /** Of the tasks that succeeded. */
      readonly outputs: Partial<Outputs>;
      readonly state: State;
      readonly error: Failure;
    };

/** Undefined if the run has not ended. */
export function resultOf(state: RunState): RunResult<unknown, unknown> | undefined {
  const { phase } = state;
  const scope = scopeAt(state, '');
  const graph = (scope.graph && { state: scope.graph.state }) as { state: unknown };
  const outputs = outputsOfScope(state, scope);
  switch (phase.status) {
    case 'succeeded':
      return {
        status: 'succeeded',
        outputs: phase.outputs === undefined ? outputs : phase.outputs,
        ...graph,
      };
    case 'failed':
      return { status: 'failed', error: phase.failure, outputs, ...graph };
    case 'cancelled':
      return { status: 'cancelled', error: cancelled(phase.reason), outputs, ...graph };
    default:
      return undefined;
  }
}

function cancelled(reason: string): Failure {
  return { code: 'CANCELLED', message: reason, retryable: false };
}
