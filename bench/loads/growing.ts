import { median } from '../rounds.ts';
import { atMost, type Row } from '../row.ts';
import { scaled, type Settings } from '../settings.ts';
import { costPerStep, courseOf, floorOf, type Course } from '../windows.ts';
import { growing as growingGraph } from '../workloads.ts';

const load = 'steps adding 2 KB each';

/** 300 steps, each of which adds 2 KB to the state: neither time nor bytes of a step may grow with the state. */
export async function growing(settings: Settings): Promise<Row[]> {
  const steps = scaled(300, settings);
  const define = (visited: (step: number) => void) => growingGraph({ steps, bytes: 2_048 }, visited);
  const measureFloor = await floorOf(define, 'full');
  const ours: Course[] = [];
  const floor: Course[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    ours.push(await courseOf(define, 'full'));
    floor.push(await measureFloor());
  }
  return [rateRow(ours, floor, steps), growthRow(ours, floor, steps), bytesRow(ours, floor)];
}

function rateRow(ours: readonly Course[], floor: readonly Course[], steps: number): Row {
  const rate = (courses: readonly Course[]): number =>
    median(courses.map(({ times }) => 1000 / costPerStep(times, [0, steps])));
  return row(load, 'steps/s', { ours: rate(ours), floor: rate(floor) });
}

function growthRow(ours: readonly Course[], floor: readonly Course[], steps: number): Row {
  const window = Math.min(50, Math.ceil(steps / 3));
  const growth = (courses: readonly Course[]): number =>
    median(courses.map(({ times }) => lastOverFirst(times, { steps, window })));
  const compared = row(`${load}: last 50 / first 50`, 'time / time', {
    ours: growth(ours),
    floor: growth(floor),
  });
  return { ...compared, target: atMost(compared.ours, 1.5, 'last / first') };
}

function lastOverFirst(
  times: readonly number[],
  { steps, window }: { steps: number; window: number },
): number {
  return costPerStep(times, [steps - window, steps]) / costPerStep(times, [0, window]);
}

function bytesRow(ours: readonly Course[], floor: readonly Course[]): Row {
  const kilobytes = (courses: readonly Course[]): number => median(courses.map(({ bytes }) => bytes)) / 1024;
  const compared = row(`${load}: stored`, 'KB', { ours: kilobytes(ours), floor: kilobytes(floor) });
  return { ...compared, target: atMost(compared.ratio!, 1.5, 'bytes of floor') };
}

function row(name: string, unit: string, { ours, floor }: { ours: number; floor: number }): Row {
  return { load: name, durability: 'full', unit, ours, floor, ratio: ours / floor };
}
