import { agentNamed } from '../agents/index.ts';
import { isSettled, type RunState } from '../kernel/index.ts';
import type { TaskSpec } from '../model/index.ts';

/**
 * Before anything is recovered or started: an agent of a user may be registered where the run began, and not here.
 * Throws `AGENT_UNKNOWN`.
 */
export function assertAgents(state: RunState): void {
  for (const task of state.workflow.tasks) {
    const begun = state.tasks.get(task.name);
    if (begun === undefined || !isSettled(begun.life)) assertAgentsOf(task);
  }
}

function assertAgentsOf({ work }: TaskSpec): void {
  if (work.type === 'agent') for (const agent of work.agents) agentNamed(agent);
  if (work.type === 'workflow') work.workflow.tasks.forEach(assertAgentsOf);
}
