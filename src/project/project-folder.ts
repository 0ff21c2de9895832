import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asError, hasCode, PitonError } from '../base/index.ts';
import type { Config } from '../config/index.ts';

/**
 * Everything in `.piton` is state of this machine, except what people write. It ignores itself: a `git stash -u`, or a branch
 * that does not have it, would take it away, and the next `git clean` or `git stash -u` would take all runs.
 */
const ignored = `# Written by Piton: its state stays out of git, your workflows and settings do not.
/*
!/config.yaml
!/workflows/
`;

/** Makes `.piton` and keeps its state out of git. Says which files it made. */
export function makeFolder({ folder }: Config): string[] {
  const file = join(folder, '.gitignore');
  if (existsSync(file)) return [];
  return writeNew(file, ignored) ? [file] : [];
}

/** Writes a file and the folders it stands in; false if it is there already. Throws `FOLDER_UNWRITABLE`. */
export function writeNew(file: string, text: string): boolean {
  const folder = dirname(file);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw unwritable(folder, cause);
  }
  try {
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (cause) {
    // Another command was faster.
    if (hasCode(cause, 'EEXIST')) return false;
    throw unwritable(folder, cause);
  }
}

function unwritable(folder: string, cause: unknown): PitonError {
  const message = `Nothing can be written in ${folder}: ${asError(cause).message}.`;
  return new PitonError('FOLDER_UNWRITABLE', message, {
    folder,
    cause,
    remedy: 'Make it a folder that you may write to, or go to (or name with --root) another one.',
  });
}
