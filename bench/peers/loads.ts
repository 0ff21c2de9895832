import { atLeast, type Target } from '../row.ts';
import { scaled, type Durability, type Settings } from '../settings.ts';
import { needsInLayers } from '../workloads.ts';
import type { Request } from './peer.ts';

/** A load that all can run, and what is asked of us beside a peer. */
export interface PeerLoad {
  readonly name: string;
  readonly steps: number;
  readonly request: Omit<Request, 'durability'>;
  readonly target?: {
    readonly durability: Durability;
    /** The peers it is about. */
    readonly beside: readonly string[];
    /** Given how many times as fast as the fastest of them we are. */
    readonly of: (times: number) => Target;
  };
}

const tenTimes = (times: number): Target => atLeast(times, 10, 'times as fast');

export function peerLoads(settings: Settings): readonly PeerLoad[] {
  const [steps, runs, width] = [scaled(1_000, settings), scaled(200, settings), scaled(500, settings)];
  const [notes, tasks] = [scaled(300, settings), scaled(1_000, settings)];
  return [
    {
      name: 'chain of 1,000',
      steps,
      request: { load: 'chain', steps },
      target: { durability: 'process', beside: ['LangGraph.js'], of: tenTimes },
    },
    {
      name: '200 runs of 10, 16 at a time',
      steps: runs * 10,
      request: { load: 'chain', steps: 10, runs, concurrency: 16 },
      target: { durability: 'full', beside: ['LangGraph.js', 'DBOS'], of: tenTimes },
    },
    { name: 'fan-out of 500', steps: width + 2, request: { load: 'fan-out', width } },
    {
      name: '300 steps adding 2 KB each',
      steps: notes,
      request: { load: 'growing', steps: notes, bytes: 2_048 },
    },
    {
      name: 'DAG of 1,000 in layers of 100',
      steps: tasks,
      request: { load: 'dag', tasks, width: 100, needs: needsInLayers(tasks, 100) },
    },
  ];
}
