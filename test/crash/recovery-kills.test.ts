import { cpSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  brokenAfter,
  drive,
  driving,
  killAt,
  placesPassed,
  subfolder,
  untouchedIn,
  type SamePlaces,
} from '../support/kill.ts';
import type { ShapeName } from '../support/shapes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Where the first process dies, so that the next one has something to recover. */
const firstDeaths: readonly (readonly [ShapeName, string])[] = [
  ['for-each', 'after:task.succeeded#4'],
  ['retry', 'after:task.delayed#2'],
  ['cycle', 'before:edge.taken#4'],
  ['pause', 'after:run.paused'],
  ['cancel', 'after:cancel.requested'],
];

/** Taking the lease is one commit, and what recovery writes to the journal is the next: before and after each. */
const placesOfRecovery = 4;

function firstAndLast(places: readonly SamePlaces[]): string[] {
  return [...new Set(places.flatMap((same) => [same[0]!, same.at(-1)!]))];
}

test.for(firstDeaths)(
  '%s: a run whose recovery is killed at the same place twice over ends as if nothing had happened',
  async ([shape, death]) => {
    const root = temporaryFolder();
    const calm = subfolder(root, 'calm');
    const wreck = subfolder(root, 'wreck');
    const probe = subfolder(root, 'probe');
    await drive({ shape, folders: [calm] }).ended();
    await killAt(death, driving({ shape, folders: [wreck] }));
    cpSync(wreck, probe, { recursive: true });
    const recovery = (await placesPassed(driving({ shape, folders: [probe] }))).slice(0, placesOfRecovery);
    const kills = firstAndLast(recovery).map((place) => ({
      name: `recovery at ${place}`,
      async strike(folder: string) {
        cpSync(wreck, folder, { recursive: true });
        for (let times = 0; times < 2; times++) await killAt(place, driving({ shape, folders: [folder] }));
      },
    }));

    const broken = await brokenAfter(kills, { shape, root, untouched: await untouchedIn(calm) });

    expect(broken).toEqual([]);
  },
);
