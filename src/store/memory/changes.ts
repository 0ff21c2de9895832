import type { ChangesPage, RunChange } from '../contract.ts';
import { cursorInvalid } from '../refusals.ts';
import type { Medium } from './medium.ts';

export function noteCommit(
  medium: Medium,
  { run, seq }: { readonly run: string; readonly seq: number },
): void {
  note(medium, { run, seq });
}

export function noteRemoval(medium: Medium, run: string): void {
  forget(medium, (change) => change.run === run && change.seq !== undefined);
  note(medium, { run });
}

export function noteCut(medium: Medium, run: string, lastGood: number): void {
  forget(medium, (change) => change.run === run && (change.seq ?? 0) > lastGood);
}

export function readChanges(
  { changes }: Medium,
  { after = '0', limit }: ChangesPage,
  url: string,
): RunChange[] {
  const from = /^\d{1,15}$/.test(after) ? Number(after) : NaN;
  if (!(from <= changes.count)) throw cursorInvalid(after, url);
  const first = changes.kept.findIndex(({ cursor }) => Number(cursor) > from);
  return first < 0 ? [] : changes.kept.slice(first, first + limit);
}

function note({ changes }: Medium, change: Omit<RunChange, 'cursor'>): void {
  changes.count += 1;
  changes.kept.push(Object.freeze({ ...change, cursor: String(changes.count) }));
}

function forget({ changes }: Medium, isGone: (change: RunChange) => boolean): void {
  changes.kept = changes.kept.filter((change) => !isGone(change));
}
