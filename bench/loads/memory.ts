import { fileURLToPath } from 'node:url';
import { printedBy } from '../child.ts';
import { median } from '../rounds.ts';
import type { Row } from '../row.ts';
import { scaled, type Settings } from '../settings.ts';

const program = fileURLToPath(new URL('../programs/hold-tasks.ts', import.meta.url));

interface Grown {
  readonly heap: number;
  readonly rss: number;
}

/** What a run of 100,000 tasks keeps in memory when all but the last have settled, beyond a process that has run one. */
export function memory(settings: Settings): Row[] {
  const tasks = scaled(100_000, settings);
  const samples = Array.from(
    { length: settings.rounds },
    () => printedBy(['--expose-gc', program, String(tasks)]) as Grown,
  );
  const row = (what: string, key: keyof Grown): Row => ({
    load: `memory at 100,000 tasks: ${what}`,
    durability: 'process',
    unit: 'MB',
    ours: median(samples.map((sample) => sample[key])) / 1024 / 1024,
  });
  return [row('live heap', 'heap'), row('peak of the process', 'rss')];
}
