import { agentNamed } from '../../agents/index.ts';
import type { AgentWork, Permissions } from '../../model/index.ts';
import { budgetText } from './bounds.ts';

/** Who does a task. */
export interface PlannedAgent {
  /** By preference, each with what the permissions become for it. */
  readonly agents: readonly PlannedChoice[];
  /** `read`, `edit`, `full`, or a list of tools. */
  readonly permissions: Permissions;
  readonly session: string;
  /** Model, effort and the like, in words. */
  readonly settings: readonly string[];
}

/** One of the agents that may do it. */
export interface PlannedChoice {
  readonly name: string;
  readonly permissions: string;
  /** What it may not do by itself is asked of a person; else it is denied. */
  readonly asks: boolean;
  /** Handed to the CLI as they are. */
  readonly args: readonly string[];
}

/** Throws `AGENT_UNKNOWN`. */
export function planAgent(work: AgentWork): PlannedAgent {
  const { agents, permissions } = work;
  return {
    agents: agents.map((name) => planChoice(name, work)),
    permissions,
    session: sessionText(work.session),
    settings: settingsOf(work),
  };
}

function planChoice(name: string, { permissions, args }: AgentWork): PlannedChoice {
  const agent = agentNamed(name);
  return {
    name,
    permissions: agent.explainPermissions(permissions),
    asks: agent.asks,
    args: isListed(args) ? args : (args[name] ?? []),
  };
}

function isListed(args: AgentWork['args']): args is readonly string[] {
  return Array.isArray(args);
}

function sessionText(session: AgentWork['session']): string {
  if (session === undefined) return 'a new one';
  return 'fork' in session ? `a copy of that of ${session.fork}` : `goes on in that of ${session.continue}`;
}

function settingsOf({ model, effort, maxTurns, budget }: AgentWork): string[] {
  return [
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(effort === undefined ? [] : [`effort ${effort}`]),
    ...(maxTurns === undefined ? [] : [`at most ${maxTurns} turns`]),
    ...(budget === undefined ? [] : [`at most ${budgetText(budget)}`]),
  ];
}
