import type { Row } from '../row.ts';
import { scaled, type Settings } from '../settings.ts';
import { throughput } from '../throughput.ts';
import { fanOut as wide, runOnce } from '../workloads.ts';

/** One task, 500 that need it, one that needs them all. */
export function fanOut(settings: Settings): Promise<Row[]> {
  const width = scaled(500, settings);
  const definition = wide(width);
  return throughput(
    { name: 'fan-out of 500', steps: width + 2, run: (piton) => runOnce(piton, definition) },
    settings,
  );
}
