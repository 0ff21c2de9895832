import { atLeast, type Row } from '../row.ts';
import { scaled, type Settings } from '../settings.ts';
import { throughput } from '../throughput.ts';
import { graphChain, runMany } from '../workloads.ts';

const stepsPerRun = 10;

/** 200 runs of ten steps, sixteen at a time: what group commit is for. */
export function runs(settings: Settings): Promise<Row[]> {
  const count = scaled(200, settings);
  const definition = graphChain(stepsPerRun);
  return throughput(
    {
      name: 'runs of 10 steps, 16 at a time',
      steps: count * stepsPerRun,
      run: (piton) => runMany(piton, definition, { runs: count, concurrency: 16 }),
      targets: { full: (share) => atLeast(share, 0.4, 'share of floor') },
    },
    settings,
  );
}
