import { isPlainObject, PitonError } from '../../base/index.ts';
import { assertRunId } from '../../model/index.ts';

/** Of the layout of the file; that of the journal in it is told by its commits. */
export const exportVersion = 1;

/** The members of an export, in this order. Each is a file, so that `tar` opens it. */
export const members = {
  about: 'piton-export.json',
  journal: (part: number) => `journal/${numbered(part)}.jsonl`,
  quarantine: (part: number) => `quarantine/${numbered(part)}.jsonl`,
  snapshot: 'snapshot.json',
  blob: (hash: string) => `blobs/${hash}`,
  files: 'files.bundle',
  sums: 'SHA256SUMS',
} as const;

export const memberName =
  /^(?:piton-export\.json|(?:journal|quarantine)\/\d{6}\.jsonl|snapshot\.json|blobs\/[0-9a-f]{64}|files\.bundle|SHA256SUMS)$/;

/** So many commits are in one part of a journal, but for the last. */
export const commitsPerPart = 500;

function numbered(part: number): string {
  return String(part).padStart(6, '0');
}

/** What an export says of itself. */
export interface AboutExport {
  readonly run: string;
  /** Of the last commit in it. */
  readonly seq: number;
  readonly hash: string;
  readonly commits: number;
  readonly quarantined: number;
  readonly blobs: number;
  /** Values that were dropped before, on purpose. */
  readonly dropped: number;
  /** What the refs of the run pointed to. */
  readonly refs: Readonly<Record<string, string>>;
  /** The commit that the files build on, and that is not in the file. */
  readonly base?: string;
}

export function aboutText(about: AboutExport): string {
  return `${JSON.stringify({ format: 'piton-export', version: exportVersion, ...about }, undefined, 2)}\n`;
}

/** Throws `EXPORT_TOO_NEW`, `RUN_ID_INVALID`; undefined if it is not what an export says. */
export function readAbout(value: unknown): AboutExport | undefined {
  if (!isPlainObject(value) || value['format'] !== 'piton-export') return undefined;
  const { version, run } = value;
  if (typeof version === 'number' && version > exportVersion) throw tooNew(version);
  assertRunId(run);
  return isWhole(value) ? (value as object as AboutExport) : undefined;
}

const counts = ['seq', 'commits', 'quarantined', 'blobs', 'dropped'];

function isWhole({ hash, base, refs, ...value }: Record<string, unknown>): boolean {
  const names = [hash, ...(base === undefined ? [] : [base]), ...Object.values(refs ?? {})];
  return (
    isPlainObject(refs) &&
    names.every(isObjectName) &&
    counts.every((name) => Number.isSafeInteger(value[name]))
  );
}

function isObjectName(value: unknown): boolean {
  return typeof value === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value);
}

function tooNew(version: number): PitonError {
  const message = `The file was exported by a newer Piton (version ${version} of the format; this one reads ${exportVersion}).`;
  return new PitonError('EXPORT_TOO_NEW', message, { version, remedy: 'Update Piton, and import it again.' });
}

export function exportInvalid(file: string, what: string): PitonError {
  return new PitonError('EXPORT_INVALID', `${file} cannot be imported: ${what}.`, {
    file,
    remedy: 'Nothing was imported. Copy the file again, or export the run again, and compare the checksums.',
  });
}
