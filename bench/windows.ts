import { join } from 'node:path';
import { statSync } from 'node:fs';
import { open, type Definition } from './library.ts';
import { commitRaw } from './floor.ts';
import { recordGroups } from './record.ts';
import { inFolder, type Durability } from './settings.ts';
import { runOnce } from './workloads.ts';

/** The times at which the steps of one run began, and what it left on the disk. */
export interface Course {
  readonly times: readonly number[];
  readonly bytes: number;
}

/** Runs a definition that tells when each of its steps begins. `warmUp` is run first, on the same store. */
export function courseOf(
  define: (visited: (step: number) => void) => Definition,
  durability: Durability,
  warmUp?: Definition,
): Promise<Course> {
  return inFolder(async (folder) => {
    const file = join(folder, 'piton.db');
    const times: number[] = [];
    const piton = await open({ store: `sqlite:${file}`, durability });
    if (warmUp !== undefined) await runOnce(piton, warmUp);
    await runOnce(
      piton,
      define((step) => void (times[step] = performance.now())),
    );
    times.push(performance.now());
    await piton.close();
    return { times, bytes: statSync(file).size };
  });
}

/** The same for the raw floor: made once, then measured as often as need be. */
export async function floorOf(
  define: (visited: (step: number) => void) => Definition,
  durability: Durability,
): Promise<() => Promise<Course>> {
  const definition = define(() => {});
  const groups = await inFolder((folder) =>
    recordGroups(join(folder, 'piton.db'), durability, (piton) => runOnce(piton, definition)),
  );
  return () =>
    inFolder((folder) => {
      const file = join(folder, 'floor.db');
      return { times: commitRaw(file, durability, groups), bytes: statSync(file).size };
    });
}

/** Milliseconds per step from one step to another. */
export function costPerStep(times: readonly number[], [from, to]: readonly [number, number]): number {
  return (times[to]! - times[from]!) / (to - from);
}
