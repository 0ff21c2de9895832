import { fileURLToPath } from 'node:url';
import { numberFrom } from '../child.ts';
import { interleave, medianOf } from '../rounds.ts';
import type { Row } from '../row.ts';
import { scaled, type Settings } from '../settings.ts';

const program = fileURLToPath(new URL('../programs/hold-tasks.ts', import.meta.url));

/** What a run of 100,000 tasks keeps in memory when all but the last have settled, beyond a process that runs none. */
export async function memory(settings: Settings): Promise<Row[]> {
  const tasks = scaled(100_000, settings);
  const measure = (what: 'heap' | 'rss') => () =>
    numberFrom(['--expose-gc', program, String(tasks), what]) / 1024 / 1024;
  const samples = await interleave(Math.min(settings.rounds, 5), {
    heap: measure('heap'),
    rss: measure('rss'),
  });
  const row = (name: 'heap' | 'rss', what: string): Row => ({
    load: `memory at 100,000 tasks: ${what}`,
    durability: 'process',
    unit: 'MB',
    ours: medianOf(samples, name),
  });
  return [row('heap', 'live heap'), row('rss', 'peak of the process')];
}
