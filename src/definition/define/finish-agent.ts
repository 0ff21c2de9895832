import type { AgentWork } from '../../model/index.ts';
import type { AgentDraft } from '../workflow-draft.ts';

/** Fills in what the draft of an agent's work leaves out. */
export function finishAgent(draft: AgentDraft): AgentWork {
  const { type, agents, prompt, session, model, effort, maxTurns, idleTimeoutMs, budget } = draft;
  const { workingDirectory, inheritEnv } = draft;
  const wishes = { session, model, effort, maxTurns, idleTimeoutMs, budget, workingDirectory, inheritEnv };
  return {
    type,
    agents,
    prompt,
    permissions: draft.permissions ?? 'edit',
    // What is undefined here is taken out where the task is filled in.
    ...(wishes as Partial<AgentWork>),
    args: draft.args ?? [],
    env: draft.env ?? {},
    secrets: draft.secrets ?? [],
  };
}
