import type { EventOf, Failure } from '../model/index.ts';
import { matches } from './classify.ts';
import type { TaskState } from './run-state.ts';
import type { Tally } from './tally.ts';
import type { World } from './world.ts';

/** Bounds of one rule for all tasks, in whatever order they meet the failure: so often and so long it is tried again. */
const mostRetries = 10;
const longestMs = 30 * 60_000;
const firstWaitMs = 5_000;
const longestWaitMs = 5 * 60_000;
/** So that those who failed together do not come back all at once. */
const jitter = 0.2;

/** An agent did not reach its model: that is not the task's failure. Whether it may be tried again without a person's leave is. */
export function isOfNetwork({ spec }: TaskState, failure: Failure, { evaluator }: World): boolean {
  return (
    failure.network === true &&
    spec.onInterrupt !== 'ask' &&
    !spec.retry.notOn.some((pattern) => matches(pattern, failure, evaluator.finds))
  );
}

/** When it is tried again, or that it is not any more. */
export function afterNetworkFailure(
  { tally: { networkFailures } }: TaskState,
  { failure, world }: { failure: Failure; world: Pick<World, 'now' | 'chance'> },
): { readonly until: number; readonly reason: string } | { readonly lasted: string } {
  const { count, since } = counted(networkFailures, world.now);
  const times = `${count} time${count === 1 ? '' : 's'}`;
  const passedMs = world.now - since;
  if (count > mostRetries || passedMs >= longestMs) {
    return { lasted: `the network has failed ${times} in ${Math.round(passedMs / 60_000)} min` };
  }
  const full = Math.min(firstWaitMs * 2 ** (count - 1), longestWaitMs);
  const until = world.now + Math.round(full * (1 - jitter * world.chance()));
  return { until, reason: `the network has failed ${times} in a row: ${failure.message}` };
}

function counted(before: Tally['networkFailures'], now: number): NonNullable<Tally['networkFailures']> {
  return { count: (before?.count ?? 0) + 1, since: before?.since ?? now };
}

/** Fold of `attempt.ended`. An interruption says nothing of the network. */
export function countNetworkFailure(
  task: TaskState,
  { network, outcome }: EventOf<'attempt.ended'>['data'],
  now: number,
): void {
  const { networkFailures, ...tally } = task.tally;
  if (network === true) task.tally = { ...tally, networkFailures: counted(networkFailures, now) };
  else if (networkFailures === undefined) return;
  else if (outcome !== 'interrupted' && outcome !== 'delayed') task.tally = tally;
}
