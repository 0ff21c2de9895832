import { isPassing } from './patience.ts';
import type { RunState } from '../kernel/index.ts';
import { viewRun } from './load-run.ts';
import type { EnginePorts } from './options.ts';
import { pruneRuns } from './prune-runs.ts';

type RemovalPorts = Pick<EnginePorts, 'store' | 'spool' | 'clock' | 'owner' | 'leaseMs'>;

/** Of earlier runs of the same workflow so many are looked at: more are never left by crashes. */
const mostLookedAt = 20;

/**
 * After success, with `preserve: remove-on-success`: removes the run, as a person would who prunes it. What an earlier driver could not
 * remove, because it was killed before or because the run had to stay for a while, goes with the next run of its workflow.
 */
export async function removeSucceeded(ports: RemovalPorts, state: RunState): Promise<void> {
  const runs = [...(isRemovable(state) ? [state.run] : []), ...(await leftOf(ports, state))];
  if (runs.length > 0) await pruneRuns(ports, { runs });
}

/** What lies in a place or on a branch can be found by the run alone: then it stays, for a person to remove. */
function isRemovable({ phase, workflow, tasks, tip }: RunState): boolean {
  if (phase.status !== 'succeeded' || workflow.checkpoint.preserve !== 'remove-on-success') return false;
  if (tip !== undefined) return false;
  return [...tasks.values()].every(
    ({ workspace }) => workspace === undefined || workspace.cleaned?.how === 'removed',
  );
}

async function leftOf({ store }: RemovalPorts, { run: own, workflow }: RunState): Promise<string[]> {
  const records = await store.listRuns({
    workflow: workflow.name,
    status: ['succeeded'],
    limit: mostLookedAt,
    // What is damaged does not go.
    onDamaged: () => undefined,
  });
  const left: string[] = [];
  for (const { run } of records) if (run !== own && (await isLeft(store, run))) left.push(run);
  return left;
}

async function isLeft(store: EnginePorts['store'], run: string): Promise<boolean> {
  try {
    return isRemovable((await viewRun(store, run)).state);
  } catch (thrown) {
    // Somebody else has removed it, or it is damaged: it stays.
    if (isPassing(thrown)) throw thrown;
    return false;
  }
}
