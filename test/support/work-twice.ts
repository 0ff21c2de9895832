/** A place in which a task works twice: what comes home the second time replaces what came the first time. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place, PlaceAdapter } from '../../src/workspaces/index.ts';
import { at, folderIn, readNotes, writeNotes, type PlaceLife } from './place-life.ts';

interface Notes {
  readonly place: Place;
  readonly done: readonly string[];
}

/** Every step may have been done already, or half of it. Gives what was brought in. */
export async function workTwice(places: PlaceAdapter, { request, notes }: PlaceLife): Promise<string> {
  const { place: known, done = [] } = readNotes<Notes>(notes);
  const { place } = await places.prepare(known === undefined ? request : { ...request, known });
  let commit = '';
  for (const attempt of ['a1', 'a2']) {
    if (done.includes(attempt)) continue;
    const working = { ...request, known: place, attempt, seq: 1, at };
    await places.enter(working, { attempt, argv: ['true'], directory: place.path, env: {} });
    writeFileSync(join(folderIn(request, place), `${attempt}.txt`), attempt);
    const snapshot = await places.save({ ...working, label: attempt });
    const saved = snapshot === undefined ? {} : { snapshot };
    const found = await places.integrate({ ...working, ...saved, isChecked: false, others: [] });
    if (found.type !== 'integrated') throw new Error(found.type);
    ({ commit } = found);
    writeNotes(notes, { place, done: attempt === 'a1' ? ['a1'] : ['a1', 'a2'] });
  }
  return commit;
}
