import type { RunState, TaskState } from '../kernel/index.ts';
import type { SpoolOrder } from '../spool/index.ts';

/** What is particular to the kind of work: the rest of an order is the same for all of them. */
type OwnOrder = Omit<
  SpoolOrder,
  'attempt' | 'run' | 'runCreatedAt' | 'seq' | 'task' | 'number' | 'key' | 'timeoutMs' | 'journalled'
>;

/** The order for the attempt of a task that is under way. */
export function spoolOrder(state: RunState, task: TaskState, own: OwnOrder): SpoolOrder {
  const { life, address, attempts, key, spec } = task;
  if (life.status !== 'running' || life.attempt === undefined)
    throw new Error(`${address} has nothing under way`);
  return {
    attempt: life.attempt.id,
    run: state.run,
    seq: state.seq,
    task: address,
    number: attempts,
    key: key!,
    ...own,
    ...(spec.timeoutMs !== undefined && { timeoutMs: spec.timeoutMs }),
  };
}
