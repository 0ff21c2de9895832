import { join } from 'node:path';
import { open, type Piton } from './library.ts';
import { commitRaw, type Group } from './floor.ts';
import { recordGroups } from './record.ts';
import { interleave, medianOf, medianRatio, timed } from './rounds.ts';
import type { Row, Target } from './row.ts';
import { inFolder, type Durability, type Settings } from './settings.ts';

export interface Throughput {
  readonly name: string;
  readonly steps: number;
  readonly run: (piton: Piton) => Promise<void>;
  /** Called with ours / floor. */
  readonly targets?: Partial<Record<Durability, (share: number) => Target>>;
}

/** Measured warm: what a start costs is what the loads `import` and `cli` are for. */
const warmUpMs = 2_000;

/** A load takes about a tenth of a second: with a few samples, some slow syncs would decide. */
const samplesPerRound = 6;

/** Steps per second of a load beside those of the same bytes committed raw, in both durabilities. */
export async function throughput(load: Throughput, settings: Settings): Promise<Row[]> {
  const rows: Row[] = [];
  for (const durability of ['full', 'process'] as const) rows.push(await measure(load, durability, settings));
  return rows;
}

async function measure(
  load: Throughput,
  durability: Durability,
  { rounds, isQuick }: Settings,
): Promise<Row> {
  const groups = await inFolder((folder) => recordGroups(join(folder, 'piton.db'), durability, load.run));
  for (const start = performance.now(); !isQuick && performance.now() - start < warmUpMs;) {
    await timeOurs(load, durability);
    await timeFloor(groups, durability);
  }
  const rate = (ms: number): number => (load.steps / ms) * 1000;
  const samples = await interleave(isQuick ? rounds : rounds * samplesPerRound, {
    ours: async () => rate(await timeOurs(load, durability)),
    floor: async () => rate(await timeFloor(groups, durability)),
  });
  const ratio = medianRatio(samples, ['ours', 'floor']);
  const target = load.targets?.[durability]?.(ratio);
  return {
    load: load.name,
    durability,
    unit: 'steps/s',
    ours: medianOf(samples, 'ours'),
    floor: medianOf(samples, 'floor'),
    ratio,
    ...(target && { target }),
  };
}

function timeOurs({ run }: Throughput, durability: Durability): Promise<number> {
  return inFolder(async (folder) => {
    await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}`, durability });
    return await timed(() => run(piton));
  });
}

function timeFloor(groups: readonly Group[], durability: Durability): Promise<number> {
  return inFolder((folder) => {
    const times = commitRaw(join(folder, 'floor.db'), durability, groups);
    return times.at(-1)! - times[0]!;
  });
}
