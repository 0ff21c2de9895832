import type { AgentWork } from '../../model/index.ts';
import type { AgentDraft } from '../workflow-draft.ts';

/** Fills in what the draft of an agent's work leaves out. */
export function finishAgent(draft: AgentDraft): AgentWork {
  const { session, model, effort, maxTurns, budget, workingDirectory } = draft;
  const wishes = Object.entries({ session, model, effort, maxTurns, budget, workingDirectory });
  return {
    type: 'agent',
    agents: draft.agents,
    prompt: draft.prompt,
    permissions: draft.permissions ?? 'edit',
    ...Object.fromEntries(wishes.filter(([, wish]) => wish !== undefined)),
    args: draft.args ?? [],
    env: draft.env ?? {},
    secrets: draft.secrets ?? [],
  };
}
