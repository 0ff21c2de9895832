import { crc32 } from 'node:zlib';

/** What is sealed of a row of `runs`: everything that a commit may change. What never changes is compared with the journal. */
export const sealedColumns = [
  'run',
  'as_of',
  'workflow',
  'workflow_hash',
  'status',
  'wake_at',
  'reason',
  'spent',
  'places',
  'about',
] as const;

/** Of the values of these columns, in order. Without the last where it is NULL, as seals were before it was there. */
export function sealOfRow(values: readonly unknown[]): string {
  const about = values.at(-1);
  return sealOf(values[4], about === null ? values.slice(0, -1) : values);
}

/**
 * Rows are outside of the hash chain, and lists decide by them: what was changed on the disk must not be believed. A checksum
 * is enough for that, and costs next to nothing. The status is repeated, so that SQL finds rows whose status is not what was
 * written without summing up each.
 */
export function sealOf(status: unknown, values: readonly unknown[]): string {
  return `${String(status)}:${checksum(JSON.stringify(values))}`;
}

/** What a commit says of its run besides its body. Only that of the last one is read. */
export interface Head {
  readonly run: string;
  readonly seq: number;
  readonly hash: string;
  readonly at: number;
  readonly settled: number;
  readonly total: number;
}

/** Of a commit, whose body is sealed by its hash. */
export function headSealOf({ run, seq, hash, at, settled, total }: Head): number {
  return crc32(`${run} ${seq} ${hash} ${at} ${settled} ${total}`);
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
