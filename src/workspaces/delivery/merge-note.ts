import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { effect, hasCode, isPlainObject } from '../../base/index.ts';
import { replaceFile } from '../files.ts';
import type { Git, WorktreePlace } from '../git/index.ts';
import type { MergeStrategy } from '../delivery-contract.ts';

/**
 * Written before the user's checkout is moved, and removed after it: whoever finds it knows that what is half moved there was
 * moved by us, and where to.
 */
export interface MergeNote {
  readonly run: string;
  readonly strategy: MergeStrategy;
  /** Of the run's branch. */
  readonly tip: string;
  /** What the user's branch was at. */
  readonly head: string;
  readonly branch: string;
  /** What it is moved to. */
  readonly commit: string;
}

function fileOf({ gitDir }: WorktreePlace): string {
  return join(gitDir, 'piton-merge.json');
}

/** The note of an earlier try at the same, if there is one. */
export async function findNote(
  place: WorktreePlace,
  wanted: Omit<MergeNote, 'commit'>,
): Promise<MergeNote | undefined> {
  const note = await readNote(fileOf(place));
  if (note === undefined) return undefined;
  const isSame = (Object.keys(wanted) as (keyof typeof wanted)[]).every((key) => note[key] === wanted[key]);
  return isSame ? note : undefined;
}

async function readNote(file: string): Promise<MergeNote | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isPlainObject(value) ? (value as unknown as MergeNote) : undefined;
  } catch (error) {
    // A note that cannot be read is as good as none: then nothing is taken for ours.
    if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export async function writeNote(git: Git, place: WorktreePlace, note: MergeNote): Promise<void> {
  await effect('merge.noted', () =>
    replaceFile(fileOf(place), `${JSON.stringify(note, null, 2)}\n`, git.durability),
  );
}

export async function removeNote(place: WorktreePlace): Promise<void> {
  await rm(fileOf(place), { force: true });
}
