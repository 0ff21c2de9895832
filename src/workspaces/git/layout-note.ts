import { join } from 'node:path';
import { effect } from '../../base/index.ts';
import { replaceFile } from '../files.ts';
import type { Trailers } from './commits.ts';
import type { Git } from './git.ts';
import type { WorktreePlace } from './places.ts';
import { readSmall } from './repository-parts.ts';

/**
 * What Piton has put into a worktree in the place of what was made there: by it, our own files are told from somebody's work.
 * It lies in the worktree's own folder inside the repository, like the marker. By what it says refs are moved, and files taken for
 * checked: it is sealed with a key of the user's.
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

interface Sealed extends LayoutNote {
  readonly seal: string;
}

const name = 'piton-layout.json';

/** One that bears no seal of ours is none: whoever works in the worktree can write there, also from inside of a sandbox. */
export async function readLayoutNote(git: Git, { gitDir }: WorktreePlace): Promise<LayoutNote | undefined> {
  const text = await readSmall(join(gitDir, name));
  try {
    const { seal, ...note } = JSON.parse(text) as Sealed;
    return seal === git.sealOf(JSON.stringify(note)) ? note : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

export async function writeLayoutNote(git: Git, { gitDir }: WorktreePlace, note: LayoutNote): Promise<void> {
  const sealed: Sealed = { ...note, seal: git.sealOf(JSON.stringify(note)) };
  const text = `${JSON.stringify(sealed, null, 2)}\n`;
  await effect('git.layout-noted', () => replaceFile(join(gitDir, name), text, git.durability));
}
