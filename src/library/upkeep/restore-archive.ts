import { existsSync } from 'node:fs';
import { PitonError } from '../../base/index.ts';
import { findLeftovers } from './find-leftovers.ts';
import { readRecords, type WorkspacePorts } from './recorded-places.ts';

/** What `piton.restoreArchive` lays out, and where. */
export interface RestoreOptions {
  /** A ref or path, as `workspaces` names it. */
  readonly ref: string;
  /** Where it is laid out: a folder that is not there yet. */
  readonly to: string;
  /** Of the project. Default: the working directory. */
  readonly folder?: string;
}

/** Lays out what is kept of a place. Throws `ARCHIVE_UNKNOWN`, `FOLDER_EXISTS`. */
export async function restoreArchive(
  look: WorkspacePorts,
  { ref, to, folder = process.cwd() }: RestoreOptions,
): Promise<void> {
  const { archives, kept } = await findLeftovers(look, await readRecords(look), folder);
  const archive = [...archives, ...kept].find((each) => each.ref === ref);
  if (archive === undefined) throw unknownArchive(ref);
  if (existsSync(to)) throw folderExists(to);
  await look.ports.upkeep.restore(archive.repository, ref, to);
}

function unknownArchive(ref: string): PitonError {
  return new PitonError('ARCHIVE_UNKNOWN', `There is no archive ${ref}.`, {
    ref,
    remedy: 'See what is kept with piton workspace list.',
  });
}

function folderExists(to: string): PitonError {
  return new PitonError('FOLDER_EXISTS', `${to} is there already, and nothing is laid out over it.`, {
    folder: to,
    remedy: 'Name a folder that is not there yet.',
  });
}
