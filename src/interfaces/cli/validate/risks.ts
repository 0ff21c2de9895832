import { irreversibleReason } from '../../../definition/index.ts';
import type { OnInterrupt, Workflow } from '../../../model/index.ts';

/** A command that cannot be taken back, and what happens to it when it is interrupted. */
export interface Risk {
  readonly task: string;
  readonly reason: string;
  readonly onInterrupt: OnInterrupt;
}

export function risksOf({ tasks }: Workflow, scope = ''): Risk[] {
  return tasks.flatMap(({ name, work, onInterrupt }): Risk[] => {
    const task = `${scope}${name}`;
    if (work.type === 'workflow') return risksOf(work.workflow, `${task}/`);
    const reason = work.type === 'command' ? irreversibleReason(work.run) : undefined;
    return reason === undefined ? [] : [{ task, reason, onInterrupt }];
  });
}

/** How much a run can come to at most, if every attempt but the last fails. */
export function worstCase({ tasks }: Workflow): { tasks: number; attempts: number } {
  const parts = tasks.map(({ work, retry }) => {
    if (work.type !== 'workflow') return { tasks: 1, attempts: retry.attempts };
    const inner = worstCase(work.workflow);
    return { tasks: inner.tasks, attempts: inner.attempts * retry.attempts };
  });
  return {
    tasks: parts.reduce((sum, part) => sum + part.tasks, 0),
    attempts: parts.reduce((sum, part) => sum + part.attempts, 0),
  };
}
