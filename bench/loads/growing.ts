import { median } from '../rounds.ts';
import { atMost, type Row } from '../row.ts';
import { scaled, type Settings } from '../settings.ts';
import { costPerStep, courseOf, floorOf, type Course } from '../windows.ts';
import { growing as growingGraph } from '../workloads.ts';

const bytesPerStep = 2_048;

/** 300 steps, each of which adds 2 KB to the state: neither time nor bytes of a step may grow with the state. */
export async function growing(settings: Settings): Promise<Row[]> {
  const steps = scaled(300, settings);
  const define = (visited: (step: number) => void) => growingGraph({ steps, bytes: bytesPerStep }, visited);
  const measureFloor = await floorOf(define, 'full');
  const ours: Course[] = [];
  const floor: Course[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    ours.push(await courseOf(define, 'full'));
    floor.push(await measureFloor());
  }
  const window = Math.min(50, Math.floor(steps / 3));
  const growth = (courses: readonly Course[]): number =>
    median(
      courses.map(
        ({ times }) => costPerStep(times, [steps - window, steps]) / costPerStep(times, [0, window]),
      ),
    );
  const bytes = (courses: readonly Course[]): number => median(courses.map((course) => course.bytes));
  const rate = (courses: readonly Course[]): number =>
    median(courses.map(({ times }) => 1000 / costPerStep(times, [0, steps])));
  const [slower, stored] = [growth(ours), bytes(ours) / bytes(floor)];
  const load = 'steps adding 2 KB each';
  return [
    {
      load,
      durability: 'full',
      unit: 'steps/s',
      ours: rate(ours),
      floor: rate(floor),
      ratio: rate(ours) / rate(floor),
    },
    {
      load: `${load}: last 50 / first 50`,
      durability: 'full',
      unit: 'time / time',
      ours: slower,
      floor: growth(floor),
      ratio: slower / growth(floor),
      target: atMost(slower, 1.5, 'last / first'),
    },
    {
      load: `${load}: stored`,
      durability: 'full',
      unit: 'KB',
      ours: bytes(ours) / 1024,
      floor: bytes(floor) / 1024,
      ratio: stored,
      target: atMost(stored, 1.5, 'bytes of floor'),
    },
  ];
}
