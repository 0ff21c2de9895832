import type { ChangesPage, RunChange } from '../contract.ts';
import { cursorInvalid } from '../refusals.ts';
import { number, optionalNumber, text } from './rows.ts';
import { headSealOf } from './seal.ts';
import type { Statements } from './statements.ts';

/** A cursor is the number of a commit. There is one writer at a time, so that numbers are given in the order of commits. */
export function readChanges(statements: Statements, page: ChangesPage, url: string): RunChange[] {
  const after = toNumber(page.after ?? '0', url);
  const rows = statements.readChanges.all({ after, limit: page.limit });
  if (rows.length === 0 && after > newestNumber(statements)) throw cursorInvalid(page.after!, url);
  return rows.map((row) => {
    const seq = optionalNumber(row, 'seq');
    const change = { cursor: String(number(row, 'number')), run: text(row, 'run') };
    return Object.freeze(seq === undefined ? change : { ...change, seq });
  });
}

export function newestNumber(statements: Statements): number {
  return number(statements.newestNumber.get() ?? {}, 'number');
}

function toNumber(cursor: string, url: string): number {
  const given = /^\d{1,16}$/.test(cursor) ? Number(cursor) : NaN;
  if (!Number.isSafeInteger(given)) throw cursorInvalid(cursor, url);
  return given;
}

/**
 * Takes the place of the commits of a run that is removed: whoever follows hears of it, and their numbers are not given again. It
 * belongs to no run, since none has the number 0.
 */
export function markRemoved(statements: Statements, run: string, at: number): void {
  const seq = newestNumber(statements) + 1;
  const seal = headSealOf({ run, seq, hash: '', at, settled: 0, total: 0 });
  statements.insertRemoval.run({ seq, at, seal, run });
}
