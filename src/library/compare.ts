import type { RunState } from '../kernel/index.ts';
import { checkpointOf, compareCheckpoints, type CheckpointDifference } from '../views/index.ts';
import type { Diff, DiffOrder } from '../workspaces/index.ts';
import type { Deliverer, DiffOptions } from './delivery.ts';
import { readCheckpointName, seqAt } from './fork.ts';

/** What is different at another checkpoint, also in the files of the run's branch. */
export interface Comparison extends CheckpointDifference {
  /** Absent if none of them has a branch, or they are of different repositories. */
  readonly files?: Diff;
}

/** Of one run or of two. Changes nothing. Throws `RUN_NOT_FOUND`, `CHECKPOINT_NOT_FOUND`, `CHECKPOINT_PRUNED`. */
export async function compare(
  deliverer: Deliverer,
  [from, to]: readonly [string, string],
  options: Omit<DiffOptions, 'task'>,
): Promise<Comparison> {
  const before = await stateAt(deliverer, from);
  const after = await stateAt(deliverer, to);
  const files = await diffBetween(deliverer, [before, after], options);
  const difference = compareCheckpoints(checkpointOf(before), checkpointOf(after));
  return { ...difference, ...(files !== undefined && { files }) };
}

async function stateAt(deliverer: Deliverer, name: string): Promise<RunState> {
  const { run, at } = readCheckpointName(name);
  return deliverer.engine.load(run, await seqAt(deliverer, run, at));
}

async function diffBetween(
  { ports }: Deliverer,
  [before, after]: readonly [RunState, RunState],
  { form = 'stat', coloured: isColoured = false, columns = 80 }: Omit<DiffOptions, 'task'>,
): Promise<Diff | undefined> {
  const sides = sidesOf(before, after);
  return sides && ports.delivery.diff({ ...sides, form, isColoured, columns });
}

function sidesOf(
  before: RunState,
  after: RunState,
): Pick<DiffOrder, 'repository' | 'from' | 'to'> | undefined {
  const repository = after.origin?.repository;
  if (repository === undefined || before.origin?.repository?.commonDir !== repository.commonDir)
    return undefined;
  const commit = after.tip ?? repository.base;
  return { repository, from: before.tip ?? before.origin.repository.base, to: { type: 'commit', commit } };
}
