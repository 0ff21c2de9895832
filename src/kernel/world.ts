import type { Evaluator } from '../model/index.ts';

/** What the kernel may not have of its own: time, chance, fresh names, the user's expressions. */
export interface World {
  readonly now: number;
  /** In [0, 1). */
  chance(): number;
  /** A new attempt's id. */
  mint(): string;
  readonly evaluator: Evaluator;
}
