import type { ChangesPage, RunChange } from '../contract.ts';
import { cursorInvalid } from '../refusals.ts';
import { number, optionalNumber, text, type Row } from './rows.ts';
import { headSealOf } from './seal.ts';
import type { Statements } from './statements.ts';

/**
 * A cursor is the number of a commit, and the beginning of its hash. There is one writer at a time, so that numbers are given in the
 * order of commits; in an older copy of the store that was gone on with, the same number belongs to another commit.
 */
export function readChanges(statements: Statements, page: ChangesPage, url: string): RunChange[] {
  const after = page.after === undefined ? 0 : numberOf(statements, page.after, url);
  return statements.readChanges.all({ after, limit: page.limit }).map((row) => {
    const seq = optionalNumber(row, 'seq');
    const change = { cursor: cursorOf(row), run: text(row, 'run') };
    return Object.freeze(seq === undefined ? change : { ...change, seq });
  });
}

export function newestNumber(statements: Statements): number {
  return number(statements.newestNumber.get() ?? {}, 'number');
}

export function newestCursor(statements: Statements): string {
  const newest = statements.findNumber.get({ number: newestNumber(statements) });
  return newest === undefined ? beginning : cursorOf(newest);
}

const beginning = '0-';
const hashLength = 12;

function cursorOf(row: Row): string {
  return `${number(row, 'number')}-${text(row, 'hash').slice(0, hashLength)}`;
}

/** Of a commit that is gone again, only its number is known. Throws `CURSOR_INVALID`. */
function numberOf(statements: Statements, cursor: string, url: string): number {
  if (cursor === beginning) return 0;
  const given = Number(/^(\d{1,16})-/.exec(cursor)?.[1] ?? NaN);
  if (!Number.isSafeInteger(given) || given > newestNumber(statements)) throw cursorInvalid(cursor, url);
  const found = statements.findNumber.get({ number: given });
  if (found !== undefined && cursorOf(found) !== cursor) throw cursorInvalid(cursor, url);
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
