import { irreversibleReason } from '../../definition/index.ts';
import type { CommandWork, OnInterrupt, TaskSpec, Workflow } from '../../model/index.ts';

/** A command that cannot be taken back, and what happens to it when it is interrupted. */
export interface Risk {
  readonly task: string;
  /** Why it cannot be taken back. */
  readonly reason: string;
  /** What happens when it is interrupted: `restart` or `continue` by itself, or `ask` a person. */
  readonly onInterrupt: OnInterrupt;
}

export function risksOf({ tasks }: Workflow, scope = ''): Risk[] {
  return tasks.flatMap(({ name, work, onInterrupt, check }): Risk[] => {
    const task = `${scope}${name}`;
    if (work.type === 'workflow') return risksOf(work.workflow, `${task}/`);
    if (work.type === 'deliver')
      return [{ task, reason: 'it opens a pull request, unless there is one', onInterrupt }];
    if (check !== undefined) return riskOf(`the check of ${task}`, check.work, check.onInterrupt);
    return work.type === 'command' ? riskOf(task, work, onInterrupt) : [];
  });
}

function riskOf(task: string, { run }: CommandWork, onInterrupt: OnInterrupt): Risk[] {
  const reason = irreversibleReason(run);
  return reason === undefined ? [] : [{ task, reason, onInterrupt }];
}

/** Of a run, or of a part of one. */
export interface WorstCase {
  readonly tasks: number;
  /** Of the work; checks and revisions are not counted. */
  readonly attempts: number;
  /** How often an agent is asked: attempts × (1 + revisions). */
  readonly agentTurns: number;
  /** There are items or visits, and it is once through that was counted. */
  readonly repeats: boolean;
}

/** How much a run can come to at most, if every attempt but the last fails, and every check before that. */
export function worstCase({ tasks, form }: Workflow): WorstCase {
  return tasks.map(worstOf).reduce(
    (sum, part) => ({
      tasks: sum.tasks + part.tasks,
      attempts: sum.attempts + part.attempts,
      agentTurns: sum.agentTurns + part.agentTurns,
      repeats: sum.repeats || part.repeats,
    }),
    { tasks: 0, attempts: 0, agentTurns: 0, repeats: form === 'graph' },
  );
}

function worstOf({ work, retry: { attempts }, check, forEach }: TaskSpec): WorstCase {
  const repeats = forEach !== undefined;
  if (work.type === 'workflow') {
    const inner = worstCase(work.workflow);
    return {
      tasks: inner.tasks,
      attempts: inner.attempts * attempts,
      agentTurns: inner.agentTurns * attempts,
      repeats: repeats || inner.repeats,
    };
  }
  const agentTurns = work.type === 'agent' ? attempts * (1 + (check?.revise ?? 0)) : 0;
  return { tasks: 1, attempts, agentTurns, repeats };
}
