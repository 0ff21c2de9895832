import { atLeast, type Row, type Target } from '../row.ts';
import { scaled, type Settings } from '../settings.ts';
import { throughput } from '../throughput.ts';
import { graphChain, runOnce, taskChain } from '../workloads.ts';

/** 1,000 steps, one after the other: as visits of a graph, and as tasks that need each other. */
export async function chain(settings: Settings): Promise<Row[]> {
  const steps = scaled(1_000, settings);
  const full = (share: number): Target => atLeast(share, 0.6, 'share of floor');
  const process = (share: number): Target => atLeast(share, 0.25, 'share of floor');
  const ofVisits = graphChain(steps);
  const ofTasks = taskChain(steps);
  return [
    ...(await throughput(
      {
        name: 'chain of visits',
        steps,
        run: (piton) => runOnce(piton, ofVisits),
        targets: { full, process },
      },
      settings,
    )),
    ...(await throughput(
      { name: 'chain of tasks', steps, run: (piton) => runOnce(piton, ofTasks), targets: { full } },
      settings,
    )),
  ];
}
