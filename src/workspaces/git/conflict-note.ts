import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../base/index.ts';
import type { Trailers } from './commits.ts';
import type { Git } from './git.ts';
import type { WorktreePlace } from './places.ts';
import { replaceFile } from './replace-file.ts';

/** Of a conflict that is put into a worktree. It lies in the worktree's own folder inside the repository, like the marker. */
export interface ConflictNote {
  /** What was made here and what it does not fit to, in one. */
  readonly commit: string;
  readonly branch: string;
  readonly result: string;
  readonly files: readonly string[];
  readonly report: string;
  readonly trailers: Trailers;
  readonly at: number;
  /** false: it was begun, and files of before may be left. */
  readonly isLeft: boolean;
}

const name = 'piton-conflict.json';

export async function readConflictNote({ gitDir }: WorktreePlace): Promise<ConflictNote | undefined> {
  try {
    return JSON.parse(await readFile(join(gitDir, name), 'utf8')) as ConflictNote;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

export async function writeConflictNote(
  git: Git,
  { gitDir }: WorktreePlace,
  note: ConflictNote,
): Promise<void> {
  await replaceFile(git, join(gitDir, name), `${JSON.stringify(note, null, 2)}\n`);
}
