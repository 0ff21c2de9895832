import type { PitonError } from '../../base/index.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import type { Output } from './output/index.ts';
import { reportError } from './report-error.ts';

/** Runs of which nothing can be shown, because their rows are damaged: they must not hide the others. Each once. */
export class Damages {
  readonly #byRun = new Map<unknown, PitonError>();

  readonly add = (damage: PitonError): void => {
    const { run } = damage.details;
    if (!this.#byRun.has(run)) this.#byRun.set(run, damage);
  };

  get found(): readonly PitonError[] {
    return [...this.#byRun.values()];
  }

  /** Throws the first of them, if there is one. */
  refuse(): void {
    const [first] = this.found;
    if (first !== undefined) throw first;
  }

  /** What helps is told beside what was shown; `otherwise`: the exit code if there is nothing to tell. */
  report(output: Output, otherwise: ExitCode = exitCodes.done): ExitCode {
    for (const damage of this.found) reportError(output, damage);
    return this.found.length === 0 ? otherwise : exitCodes.refused;
  }
}
