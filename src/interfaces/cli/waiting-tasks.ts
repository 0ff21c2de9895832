import type { Piton } from '../../library/index.ts';
import { commandsFor } from './next-step.ts';

/** A task that waits for a person. */
export interface WaitingTask {
  readonly run: string;
  readonly workflow: string;
  readonly task: string;
  /** When the run changed last. */
  readonly since: number;
  readonly reason: string;
  readonly actions: readonly string[];
  /** To be typed. */
  readonly commands: readonly string[];
}

/** All that waits for a person, in all runs that have not ended. */
export async function waitingTasks(piton: Piton): Promise<WaitingTask[]> {
  const records = await piton.list({
    status: ['running', 'delayed', 'held', 'paused', 'stalled'],
    limit: Number.MAX_SAFE_INTEGER,
  });
  const waiting: WaitingTask[] = [];
  for (const { run, workflow, updatedAt } of records) {
    const { tasks } = await (await piton.find(run)).checkpoint();
    for (const [task, report] of Object.entries(tasks)) {
      if (report.status !== 'held') continue;
      const { reason = '', actions = [] } = report;
      waiting.push({
        run,
        workflow,
        task,
        since: updatedAt,
        reason,
        actions,
        commands: commandsFor(run, task, report),
      });
    }
  }
  return waiting;
}
