import type { Row } from '../row.ts';
import { scaled, type Settings } from '../settings.ts';
import { throughput } from '../throughput.ts';
import { layers, runOnce } from '../workloads.ts';

/** 10,000 tasks in layers of 100, each of which needs three of the layer before. */
export function dag(settings: Settings): Promise<Row[]> {
  const tasks = scaled(10_000, settings);
  const definition = layers(tasks, 100);
  return throughput(
    { name: 'DAG of 10,000 tasks', steps: tasks, run: (piton) => runOnce(piton, definition) },
    settings,
  );
}
