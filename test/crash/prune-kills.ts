/** Whoever prunes is killed: every run is as it was, without its payloads, or gone, and the next who prunes comes to the same end. */
import { cpSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../../src/base/index.ts';
import {
  loadWorkflow,
  open,
  stateGraph,
  type Definition,
  type Piton,
  type PruneOptions,
} from '../../src/index.ts';
import { writeFlow } from '../support/commands.ts';
import { killAt, oneOfEach, pointsPassed, type Choice, type Starter } from '../support/kill.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const dayMs = 86_400_000;
/** Two go, one with folders in the spool; two lose their payloads; one stays as it is. */
const options: PruneOptions = { before: 115 * dayMs, payloadsBefore: 135 * dayMs, compactWhole: true };

/** Each step has another big value. */
const steps: Definition = stateGraph<{ text: string; n: number }>('steps', { state: { text: '', n: 0 } })
  .node('a', ({ n }) => ({ text: `${Math.random()}${n}`.padEnd(20_000, 'x'), n: n + 1 }))
  .edge('a', 'end', ({ n }) => n === 5)
  .edge('a', 'a');

function openIn(folder: string, more: Partial<Parameters<typeof open>[0]> = {}): Promise<Piton> {
  const store = `sqlite:${join(folder, 'piton.db')}`;
  return open({ store, durability: 'process', mirror: join(folder, 'mirror'), ...more });
}

async function prepared(isEarlier: boolean): Promise<string> {
  const folder = temporaryFolder();
  const clock = manualClock(100 * dayMs);
  writeFlow(folder, [{ name: 'a' }]);
  const piton = await openIn(folder, { clock });
  const command = await loadWorkflow(join(folder, 'flow.yaml'));
  await (await piton.start(command, { id: 'c100', origin: { directory: folder } })).result();
  for (let day = 100; day <= 140; day += 10) {
    clock.advance(day * dayMs - clock.now());
    await (await piton.start(steps, { id: `r${day}` })).result();
  }
  await (await piton.start(command, { id: 'c140', origin: { directory: folder } })).result();
  await piton.close();
  if (isEarlier) makeEarlier(join(folder, 'piton.db'));
  return folder;
}

function makeEarlier(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA auto_vacuum = NONE; VACUUM');
  database.close();
}

function copyOf(folder: string): string {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

function pruning(folder: string): Starter {
  return (env) => startProgram('prune-many', { args: [JSON.stringify({ folder, options })], env });
}

interface Seen {
  readonly runs: readonly string[];
  readonly dropped: readonly string[];
  readonly spooled: number;
  readonly mirrored: readonly string[];
}

/** Throws if anything is damaged. */
async function lookAt(folder: string): Promise<Seen> {
  await using piton = await openIn(folder);
  expect((await piton.verify()).filter(({ ok }) => !ok)).toEqual([]);
  expect(await piton.checkStore()).toEqual([]);
  const runs = (await piton.runs()).map(({ run }) => run).sort();
  const dropped: string[] = [];
  for (const run of runs) {
    const handle = await piton.find(run);
    expect(await handle.result()).toMatchObject({ status: 'succeeded' });
    for await (const { type } of handle.history()) if (type === 'payloads.dropped') dropped.push(run);
  }
  return { runs, dropped, spooled: spooledIn(folder), mirrored: mirroredIn(folder) };
}

function spooledIn(folder: string): number {
  return readdirSync(join(folder, 'spool')).filter((name) => !name.startsWith('.')).length;
}

function mirroredIn(folder: string): string[] {
  const mirror = join(folder, 'mirror');
  return existsSync(mirror) ? readdirSync(mirror).sort() : [];
}

export function pruneKills(choose: Choice): void {
  describe.each([{ isEarlier: false }, { isEarlier: true }])(
    'of an earlier version: $isEarlier,',
    ({ isEarlier }) => {
      test('killed anywhere, a prune leaves whole runs, and is done by the next', async () => {
        const original = await prepared(isEarlier);
        const uninterrupted = copyOf(original);
        const passed = await pointsPassed(pruning(uninterrupted));
        const wanted = await lookAt(uninterrupted);
        expect(wanted).toMatchObject({
          runs: ['c140', 'r120', 'r130', 'r140'],
          dropped: ['r120', 'r130'],
          spooled: 1,
        });
        const points = choose(oneOfEach(passed));
        expect(points.length).toBeGreaterThan(0);
        for (const point of points) {
          const folder = copyOf(original);
          await killAt(point, pruning(folder));
          const { runs } = await lookAt(folder);
          expect([point, ...runs]).toEqual(expect.arrayContaining([...wanted.runs]));
          expect([point, (await pruning(folder)({}).ended()).by]).toEqual([point, 0]);
          expect({ point, ...(await lookAt(folder)) }).toEqual({ point, ...wanted });
          expect(sizeIn(folder)).toBeLessThan(1.2 * sizeIn(uninterrupted));
        }
      });
    },
  );
}

function sizeIn(folder: string): number {
  return statSync(join(folder, 'piton.db')).size;
}
