import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { effect, hasCode } from '../../base/index.ts';
import { replaceFile } from '../files.ts';
import type { Trailers } from './commits.ts';
import type { Git } from './git.ts';
import type { WorktreePlace } from './places.ts';

/**
 * What Piton has put into a worktree in the place of what was made there: by it, our own files are told from somebody's work.
 * It lies in the worktree's own folder inside the repository, like the marker.
 */
export interface LayoutNote {
  /** Of the place: a slot has several owners one after the other. */
  readonly token: string;
  readonly trailers: Trailers;
  readonly at: number;
  /** What is laid out. */
  readonly commit: string;
  readonly tree: string;
  /** What was made here before, on the branch of the task. */
  readonly result: string;
  readonly resultTree: string;
  /** The tree of the files that were there before. */
  readonly files: string;
  readonly what: LaidOut;
  /** false: it was begun, and files of before may be left. */
  readonly isLeft: boolean;
}

export type LaidOut =
  /** Both sides, with marks where they differ. It is on the branch of the task. */
  | {
      readonly type: 'conflict';
      readonly branch: string;
      readonly paths: readonly string[];
      readonly report: string;
    }
  /** What the task itself has made, again, after a merge with what others have made: the task goes on with it. */
  | { readonly type: 'result'; readonly branch: string }
  /** Merged with what these tasks have made as well. HEAD is detached, the branch stays at the result. */
  | { readonly type: 'candidate'; readonly members: readonly string[] };

const name = 'piton-layout.json';

export async function readLayoutNote({ gitDir }: WorktreePlace): Promise<LayoutNote | undefined> {
  try {
    return JSON.parse(await readFile(join(gitDir, name), 'utf8')) as LayoutNote;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

export async function writeLayoutNote(git: Git, { gitDir }: WorktreePlace, note: LayoutNote): Promise<void> {
  await effect('git.layout-noted', () =>
    replaceFile(join(gitDir, name), `${JSON.stringify(note, null, 2)}\n`, git.durability),
  );
}
