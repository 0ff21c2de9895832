import type { Definition } from '../library.ts';
import { interleave, medianOf, medianRatio } from '../rounds.ts';
import { atMost, type Row } from '../row.ts';
import { scaled, type Settings } from '../settings.ts';
import { costPerStep, courseOf, floorOf } from '../windows.ts';
import { graphChain, taskChain } from '../workloads.ts';

type Define = (visited: (step: number) => void) => Definition;

/** What a step costs at the 50th and at the 10,000th, in windows of 500 steps. */
export async function flat(settings: Settings): Promise<Row[]> {
  const steps = scaled(10_000, settings);
  const chains: Record<string, Define> = {
    'visit of a graph': (visited) => graphChain(steps, visited),
    'task of a chain': (visited) => taskChain(steps, visited),
  };
  const rows: Row[] = [];
  for (const [name, define] of Object.entries(chains))
    rows.push(await growth({ name, define, steps }, settings));
  return rows;
}

/** The first steps on a store start its heartbeat's thread, which would make all later ones look cheap. */
const warmUp = graphChain(1_000);

/** In `process`, where a step's own cost is not hidden behind the disk's. */
async function growth(
  { name, define, steps }: { name: string; define: Define; steps: number },
  settings: Settings,
): Promise<Row> {
  const window = Math.min(500, Math.floor(steps / 4));
  const start = Math.min(50, window);
  const lastOverFirst = (times: readonly number[]): number =>
    costPerStep(times, [steps - window, steps]) / costPerStep(times, [start, start + window]);
  const measureFloor = await floorOf(define, 'process');
  const samples = await interleave(settings.rounds, {
    ours: async () => lastOverFirst((await courseOf(define, 'process', warmUp)).times),
    floor: async () => lastOverFirst((await measureFloor()).times),
  });
  const ours = medianOf(samples, 'ours');
  return {
    load: `${name}: 10,000th / 50th`,
    durability: 'process',
    unit: 'time / time',
    ours,
    floor: medianOf(samples, 'floor'),
    ratio: medianRatio(samples, ['ours', 'floor']),
    target: atMost(ours, 1.3, 'last / first'),
  };
}
