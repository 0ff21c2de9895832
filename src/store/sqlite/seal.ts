import { sha256 } from '../../base/index.ts';

/** What is sealed of a row of `runs`: everything that a commit changes. What never changes is compared with the journal. */
export const sealedColumns = [
  'run',
  'seq',
  'hash',
  'updated_at',
  'workflow',
  'workflow_hash',
  'status',
  'settled',
  'total',
  'wake_at',
  'reason',
  'spent',
  'places',
] as const;

/**
 * Rows are outside of the hash chain, and lists decide by them: what was changed on the disk must not be believed. In the order of
 * `sealedColumns`. The status is repeated, so that SQL finds rows whose status is not what was written without hashing each.
 */
export function sealOf(values: readonly unknown[]): string {
  return `${String(values[sealedColumns.indexOf('status')])}:${sha256(JSON.stringify(values)).slice(0, 16)}`;
}
