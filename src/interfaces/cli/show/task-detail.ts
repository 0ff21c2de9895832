import { existsSync } from 'node:fs';
import {
  Attempts,
  checksIn,
  decisionsIn,
  type AttemptView,
  type CheckView,
  type Checkpoint,
  type DecisionView,
  type Piton,
} from '../../../library/index.ts';

/** An attempt, with the folder of what its process wrote, while that is kept. */
export type KeptAttempt = AttemptView & { readonly spool?: string };

/** What the journal tells of one task, beside how it stands. */
export interface TaskDetail {
  readonly attempts: readonly KeptAttempt[];
  readonly checks: readonly CheckView[];
  readonly decisions: readonly DecisionView[];
}

export async function detailOf(
  piton: Piton,
  { run, seq }: Pick<Checkpoint, 'run' | 'seq'>,
  task: string,
): Promise<TaskDetail> {
  const events = await Array.fromAsync((await piton.find(run)).history({ upTo: seq }));
  const attempts = new Attempts();
  for (const event of events) attempts.add(event);
  return {
    attempts: attempts.list(task).map((attempt) => withSpool(piton, attempt)),
    checks: checksIn(events, task),
    decisions: decisionsIn(events, task),
  };
}

function withSpool(piton: Piton, attempt: AttemptView): KeptAttempt {
  const spool = piton.spoolOf(attempt.attempt);
  return existsSync(spool) ? { ...attempt, spool } : attempt;
}
