import type { SQLInputValue } from 'node:sqlite';

/**
 * What the rows of runs say, as far as this process knows: one that would only be written once more is left alone. Known is what
 * was written under the same lease, since nobody else writes to the run while that is held, and only once it is committed.
 */
export class WrittenRows {
  readonly #rows = new Map<string, { readonly run: string; readonly row: readonly SQLInputValue[] }>();

  isWritten(token: string, run: string, row: readonly SQLInputValue[]): boolean {
    const known = this.#rows.get(token);
    return known?.run === run && known.row.every((value, index) => value === row[index]);
  }

  committed(token: string, run: string, row: readonly SQLInputValue[]): void {
    this.#rows.set(token, { run, row });
  }

  forget(token: string): void {
    this.#rows.delete(token);
  }
}
