/** A place that is made anew because a person wants it so, and is then taken over by another task; killed anywhere, it goes on. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlaceAdapter, PlaceOrder, PlaceRequest, Prepared } from '../../src/workspaces/index.ts';
import { readNotes, writeNotes } from './place-life.ts';

export interface PlaceHands {
  /** Of a slot. */
  readonly request: PlaceRequest;
  readonly order: PlaceOrder;
  /** Of the same slot. */
  readonly successor: PlaceRequest;
  /** Absolute. */
  readonly notes: string;
}

/** What was recorded, step by step. */
export interface HandNotes {
  readonly first?: Prepared;
  readonly hasWorked?: true;
  readonly anew?: Prepared;
  readonly hasWorkedAgain?: true;
  readonly taken?: Prepared;
}

export async function changeHands(places: PlaceAdapter, hands: PlaceHands): Promise<HandNotes> {
  let noted: HandNotes = readNotes<HandNotes>(hands.notes);
  const step = async <Key extends keyof HandNotes>(
    key: Key,
    act: () => Promise<NonNullable<HandNotes[Key]>>,
  ): Promise<void> => {
    if (noted[key] !== undefined) return;
    noted = { ...noted, [key]: await act() };
    writeNotes(hands.notes, noted);
  };
  const work = async (text: string): Promise<true> => {
    writeFileSync(join(noted.first!.place.path, 'made.txt'), text);
    return true;
  };
  await step('first', () => places.prepare(hands.request));
  await step('hasWorked', () => work('before the order'));
  const known = noted.first!.place;
  await step('anew', () => places.prepare({ ...hands.request, known, order: hands.order }));
  await step('hasWorkedAgain', () => work('after the order'));
  await step('taken', () => places.prepare(hands.successor));
  return noted;
}
