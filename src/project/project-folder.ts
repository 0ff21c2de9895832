import { existsSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asError, crashPoint, hasCode, PitonError, randomId } from '../base/index.ts';
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

/**
 * Writes a file and the folders it stands in, all of it or nothing; false if it is there already and is not to be replaced.
 * Throws `FOLDER_UNWRITABLE`.
 */
export function writeNew(file: string, text: string, { replace = false } = {}): boolean {
  const folder = dirname(file);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw unwritable(folder, cause);
  }
  const draft = `${file}.${randomId()}`;
  try {
    writeFileSync(draft, text, { flag: 'wx', flush: true });
    crashPoint('project:after-draft');
    if (replace) renameSync(draft, file);
    else linkSync(draft, file);
    crashPoint('project:after-written');
    return true;
  } catch (cause) {
    // Another command was faster.
    if (hasCode(cause, 'EEXIST')) return false;
    throw unwritable(folder, cause);
  } finally {
    rmSync(draft, { force: true });
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
