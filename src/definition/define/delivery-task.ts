import type { DeliverWork } from '../../model/index.ts';
import type { DeliverDraft, TaskDraft, WorkflowDraft } from '../workflow-draft.ts';
import { formOf } from './scope.ts';

/** The name of the task that `deliver` becomes. */
export const deliveryName = 'deliver';

/**
 * The workflow with the task that delivers what all others have made. Where there can be none, it stays as it is: that is
 * told where deliveries are checked.
 */
export function withDelivery(draft: WorkflowDraft): WorkflowDraft {
  const { deliver, tasks } = draft;
  if (deliver === undefined || formOf(draft) === 'graph' || isTaken(tasks)) return draft;
  const { pr, approval, if: condition } = deliver;
  const task: TaskDraft = {
    name: deliveryName,
    needs: lastOf(tasks),
    if: condition,
    approval,
    work: { type: 'deliver', pr },
    // It looks first whether that was done.
    onInterrupt: 'restart',
  };
  return { ...draft, tasks: [...tasks, task] };
}

export function isTaken(tasks: readonly TaskDraft[]): boolean {
  return tasks.some(({ name, work }) => name === deliveryName && work.type !== 'deliver');
}

/** Tasks that nobody needs: with them, all others have ended. */
function lastOf(tasks: readonly TaskDraft[]): string[] {
  // Where all goes well, these are skipped; whoever needed them would be skipped too.
  const expected = tasks.filter((task) => !runsOnlyAfterFailure(task));
  const needed = new Set(expected.flatMap(({ needs = [] }) => needs));
  return [...new Set(expected.map(({ name }) => name))].filter((name) => !needed.has(name));
}

function runsOnlyAfterFailure({ if: condition }: TaskDraft): boolean {
  if (typeof condition !== 'string') return false;
  return /^\s*(\$\{\{)?\s*failure\(\)\s*(&&|\}\}|$)/.test(condition) && !condition.includes('||');
}

export function finishDelivery({ type, pr }: DeliverDraft): DeliverWork {
  // What users left undefined is gone since their values became JSON.
  return { type, pr: { draft: false, ...(pr as Partial<DeliverWork['pr']>) } };
}
