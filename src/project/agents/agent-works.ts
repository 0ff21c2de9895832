import type { AgentWork, Workflow } from '../../model/index.ts';

/** The work that a workflow gives to agents, with that of workflows in it. */
export function agentWorks({ tasks }: Workflow): AgentWork[] {
  return tasks.flatMap(({ work }) => {
    if (work.type === 'agent') return [work];
    return work.type === 'workflow' ? agentWorks(work.workflow) : [];
  });
}
