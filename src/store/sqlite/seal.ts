import { crc32 } from 'node:zlib';

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

const statusAt = sealedColumns.indexOf('status');

/**
 * Rows are outside of the hash chain, and lists decide by them: what was changed on the disk must not be believed. In the order
 * of `sealedColumns`. A checksum is enough for that, and costs a commit next to nothing. The status is repeated, so that SQL
 * finds rows whose status is not what was written without summing up each.
 */
export function sealOf(values: readonly unknown[]): string {
  return `${String(values[statusAt])}:${crc32(JSON.stringify(values)).toString(16).padStart(8, '0')}`;
}
