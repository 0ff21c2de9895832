/** Recoveries that are killed at the same place twice over. */
import { cpSync } from 'node:fs';
import {
  brokenAfter,
  drive,
  driving,
  killAt,
  pointsPassed,
  subfolder,
  untouchedIn,
  type SamePoints,
} from '../support/kill.ts';
import type { ShapeName } from '../support/shapes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Recovery {
  readonly shape: ShapeName;
  /** Where the first process dies, so that the next one has something to recover. */
  readonly death: string;
  /** Taking the lease is two commits, and what recovery writes to the journal is the next: before and after each. */
  readonly places: 5 | 6;
  /** Of those between which the store does not change. */
  readonly choose: (places: SamePoints) => readonly string[];
}

/** Promises that were not kept. */
export async function killRecovery({ shape, death, places, choose }: Recovery): Promise<string[]> {
  const root = temporaryFolder();
  const calm = subfolder(root, 'calm');
  const wreck = subfolder(root, 'wreck');
  const probe = subfolder(root, 'probe');
  await drive({ shape, folders: [calm] }).ended();
  await killAt(death, driving({ shape, folders: [wreck] }));
  cpSync(wreck, probe, { recursive: true });
  const recovery = (await pointsPassed(driving({ shape, folders: [probe] }))).slice(0, places);
  const kills = recovery.flatMap(choose).map((place) => ({
    name: `recovery at ${place}`,
    async strike(folder: string) {
      cpSync(wreck, folder, { recursive: true });
      for (let times = 0; times < 2; times++) await killAt(place, driving({ shape, folders: [folder] }));
    },
  }));
  return brokenAfter(kills, { shape, root, untouched: await untouchedIn(calm) });
}
