import { limitsOf, type RunState } from '../kernel/index.ts';
import type { Budget, LimitName, Sender } from '../model/index.ts';

/** What limits a run as a whole: as its workflow says, unless an operator has set it. */
export interface RunLimits {
  /** Attempts that may run at once; absent: no limit. */
  readonly maxParallel?: number;
  /** Steps that a graph may take. */
  readonly maxSteps?: number;
  /** `usd` and `tokens` that its agents may use, all in all, with what it was raised by. */
  readonly budget?: Budget;
  /** What was set (`run.set`), when and by whom. */
  readonly set?: readonly LimitSet[];
}

/** A limit that an operator has set in place of that in the workflow. */
export interface LimitSet {
  readonly limit: LimitName;
  /** `none`: there is no such limit. */
  readonly to: number | 'none';
  readonly at: number;
  readonly by?: Sender;
}

/** Undefined: nothing does. */
export function runLimits(state: RunState): RunLimits | undefined {
  const set = Object.entries(state.limits ?? {}).map(([limit, given]) => ({
    limit: limit as LimitName,
    ...given,
  }));
  const limits = { ...limitsOf(state), ...(set.length > 0 && { set }) };
  return Object.keys(limits).length === 0 ? undefined : limits;
}
