/** The life of a place, step by step, as a process that can be killed anywhere and started again. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Cleaned, Place, PlaceAdapter, PlaceRequest } from '../../src/workspaces/index.ts';

/** Prepared, worked in, saved and cleaned; what was done is noted in a file, as a journal does it. */
export interface PlaceLife {
  readonly request: PlaceRequest;
  /** Absolute. */
  readonly notes: string;
}

export interface LifeNotes {
  readonly place?: Place;
  readonly cleaned?: Cleaned;
}

/** When all of it happens. */
export const at = Date.UTC(2026, 0, 2, 3, 4, 5);

/** Every step may have been done already, or half of it. */
export async function livePlace(places: PlaceAdapter, { request, notes }: PlaceLife): Promise<LifeNotes> {
  const noted = readNotes<LifeNotes>(notes);
  if (noted.cleaned !== undefined) return noted;
  const asked = noted.place === undefined ? request : { ...request, known: noted.place };
  const { place } = await places.prepare(asked);
  writeNotes(notes, { place });
  const working = { ...request, known: place, attempt: 'a1', seq: 1, at };
  await places.enter(working, { attempt: 'a1', argv: ['true'], directory: place.path, env: {} });
  toil(folderIn(request, place));
  const snapshot = await places.save({ ...working, label: 'after the work' });
  const kept = snapshot === undefined ? {} : { snapshot };
  const ended = { ...request, ...kept, known: place, hasSucceeded: false, at };
  const cleaned = await places.clean(ended, 'remove-when-clean-else-archive');
  writeNotes(notes, { place, cleaned });
  return { place, cleaned };
}

/** What a task leaves, always the same. */
function toil(folder: string): void {
  mkdirSync(join(folder, 'deep'), { recursive: true });
  writeFileSync(join(folder, 'made.txt'), 'made\n');
  writeFileSync(join(folder, 'deep', 'with a space.txt'), 'deep\n');
}

/** The folder of the run, in the place. */
export function folderIn({ repository }: PlaceRequest, { kind, path }: Place): string {
  return kind === 'directory' ? path : join(path, repository?.prefix ?? '');
}

export function readNotes<Notes extends object>(file: string): Partial<Notes> {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Notes) : {};
}

export function writeNotes(file: string, notes: object): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.draft`, JSON.stringify(notes));
  renameSync(`${file}.draft`, file);
}
