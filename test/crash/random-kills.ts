/** Runs of functions that are killed at random moments. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { drive, subfolder, untouchedIn } from '../support/kill.ts';
import { brokenPromises } from '../support/promises.ts';
import { endingOf, lookAt } from '../support/sight.ts';
import type { Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const seed = 20_260_817;

/** A small generator of its own, so that a run that went wrong can be had again with its seed. */
function randomNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** True if it was killed, false if the run ended before. */
async function killSoon(program: Program, { delayMs, progress }: { delayMs: number; progress: boolean }) {
  const awaited = progress ? 'settled' : 'driving';
  for (let line = await program.nextLine(); line?.startsWith(awaited) === false;)
    line = await program.nextLine();
  await pause(delayMs);
  program.child.kill('SIGKILL');
  return (await program.ended()).by === 'SIGKILL';
}

/** Kills the run of a folder again and again until it has ended all the same, and then lets nobody disturb it. */
async function storm(folder: string, { random, most }: { random: () => number; most: number }) {
  let before = await lookAt(folder);
  let killed = 0;
  for (; killed < most; killed++) {
    // Every other life may settle something first: a task that is interrupted ten times without progress is held.
    const timing = { delayMs: random() * 25, progress: killed % 2 === 1 };
    if (!(await killSoon(drive({ shape: 'forty', folders: [folder] }), timing))) break;
    before = await lookAt(folder);
  }
  await drive({ shape: 'forty', folders: [folder] }).ended();
  return { killed, evidence: { before, after: await lookAt(folder), ending: await endingOf(folder) } };
}

/** Promises that were not kept when runs of forty tasks were killed so many times. */
export async function brokenByStorms(kills: number): Promise<string[]> {
  const root = temporaryFolder();
  const calm = subfolder(root, 'calm');
  await drive({ shape: 'forty', folders: [calm] }).ended();
  const untouched = await untouchedIn(calm);
  const random = randomNumbers(seed);
  const broken: string[] = [];
  for (let run = 0, killed = 0; killed < kills; run++) {
    const left = await storm(subfolder(root, run), { random, most: kills - killed });
    killed += left.killed;
    broken.push(...brokenPromises({ ...left.evidence, untouched }));
    expect(left.evidence.ending.status).toBe('succeeded');
  }
  return broken;
}
