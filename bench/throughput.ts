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
  /** Given the share of the floor that was reached. */
  readonly targets?: Partial<Record<Durability, (share: number) => Target>>;
}

/** Steps per second of a load beside those of the same bytes committed raw, in both durabilities. */
export async function throughput(load: Throughput, { rounds }: Settings): Promise<Row[]> {
  const rows: Row[] = [];
  for (const durability of ['full', 'process'] as const) rows.push(await measure(load, durability, rounds));
  return rows;
}

/** A driver works for hours; what its first second costs is measured by `import` and `cli`. */
const warmUpMs = 2_000;

/** These loads take a tenth of a second: with few rounds, the disk decides. */
const roundsEach = 3;

async function measure(load: Throughput, durability: Durability, rounds: number): Promise<Row> {
  const groups = await inFolder((folder) => recordGroups(join(folder, 'piton.db'), durability, load.run));
  for (const start = performance.now(); performance.now() - start < warmUpMs;)
    await timeOurs(load, durability);
  const rate = (ms: number): number => (load.steps / ms) * 1000;
  const samples = await interleave(rounds * roundsEach, {
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
