import { join } from 'node:path';
import { effect, isPlainObject, PitonError, type Json } from '../../base/index.ts';
import { readPlain, replaceFile } from '../files.ts';
import type { Git } from './git.ts';
import { keepPlain } from './plain-record.ts';

/** Whose a worktree is. It lies in the worktree's own folder inside the repository, so it is in nobody's tree. */
export interface Marker extends MarkerOwner {
  readonly branch: string;
  readonly base: string;
  /** The stash is shared by all worktrees: what was in it before is not of this one. */
  readonly stashes: readonly string[];
  /** All files have been checked out: from now on the tree belongs to the attempt, and is never reset by finding it again. */
  readonly isReady: boolean;
  /** All refs that are not Piton's, as they were when it was made: what is different later may be its doing. */
  readonly refs?: Readonly<Record<string, string>>;
  /** Of a place that several tasks take in turn: which of them it is. */
  readonly slot?: string;
  /** Of the same: whose it was before, as long as what that one leaves is not put in order. */
  readonly former?: { readonly task: string; readonly branch: string };
  /** What persons wanted done with it, and was: by their ids. */
  readonly orders?: readonly string[];
  /** When what is in it began to be kept elsewhere, to make room: doing it again makes the same archive. */
  readonly leftAt?: number;
  /**
   * Names the removal that has begun: whoever wants the place again takes this away, and whoever removes it, asleep meanwhile
   * and replaced by another driver, sees that.
   */
  readonly leaving?: string;
  /** What whoever asked for the place has to be told, until it is known to have been heard. */
  readonly news?: Json;
}

/** What a marker says besides whose it is and where it began. */
export type MarkerNotes = Pick<Marker, 'slot' | 'former' | 'orders' | 'news'>;

export interface MarkerOwner {
  readonly run: string;
  readonly task: string;
  /** Names this one worktree: a later one for the same task has another. */
  readonly token: string;
}

const name = 'piton.json';

/**
 * Puts the record of a worktree of ours in order, and gives its marker: nobody reads anything else of a record before. Undefined: there
 * is no marker, or none that can be read, which is never taken for ours; then nothing is changed.
 */
export async function tidyRecord(gitDir: string): Promise<Marker | undefined> {
  const marker = asMarker(parsed(await readPlain(join(gitDir, name))));
  if (marker !== undefined) await keepPlain(gitDir);
  return marker;
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export async function writeMarker(git: Git, gitDir: string, marker: Marker): Promise<void> {
  await effect('git.marker-written', () =>
    replaceFile(join(gitDir, name), `${JSON.stringify(marker, null, 2)}\n`, git.durability),
  );
}

export function isSameOwner(a: MarkerOwner, b: MarkerOwner): boolean {
  return a.run === b.run && a.task === b.task && a.token === b.token;
}

function asMarker(value: unknown): Marker | undefined {
  if (!isPlainObject(value)) return undefined;
  const { run, task, token, branch, base, stashes, isReady } = value;
  const texts = [run, task, token, branch, base];
  if (!texts.every((text) => typeof text === 'string') || !Array.isArray(stashes)) return undefined;
  return Object.freeze({ ...(value as unknown as Marker), isReady: isReady === true });
}

export function assertOwner({ run, task, token }: MarkerOwner): void {
  if ([run, task, token].every((text) => text !== '')) return;
  throw new PitonError('WORKTREE_REFUSED', 'A worktree needs the names of its run, its task, and a token.', {
    run,
    task,
  });
}
