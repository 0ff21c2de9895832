import { agentNamed } from '../../../agents/index.ts';
import type { AgentWork, Permissions } from '../../../model/index.ts';

export interface PlannedAgent {
  /** By preference, each with what the permissions become for it. */
  readonly agents: readonly { readonly name: string; readonly permissions: string }[];
  readonly permissions: Permissions;
  readonly session: string;
  /** Model, effort and the like, in words. */
  readonly settings: readonly string[];
}

/** Throws `AGENT_UNKNOWN`. */
export function planAgent(work: AgentWork): PlannedAgent {
  const { agents, permissions } = work;
  return {
    agents: agents.map((name) => ({ name, permissions: agentNamed(name).explainPermissions(permissions) })),
    permissions,
    session: sessionText(work.session),
    settings: settingsOf(work),
  };
}

function sessionText(session: AgentWork['session']): string {
  if (session === undefined) return 'a new one';
  return 'fork' in session ? `a copy of that of ${session.fork}` : `goes on in that of ${session.continue}`;
}

function settingsOf({ model, effort, maxTurns, args }: AgentWork): string[] {
  return [
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(effort === undefined ? [] : [`effort ${effort}`]),
    ...(maxTurns === undefined ? [] : [`at most ${maxTurns} turns`]),
    ...(args.length === 0 ? [] : [`arguments ${args.join(' ')}`]),
  ];
}

/** As lines to print. */
export function agentLines({ agents, permissions, session, settings }: PlannedAgent): string[] {
  const [first, ...others] = agents.map(({ name }) => name);
  const instead = others.length === 0 ? '' : `, or else ${others.join(', ')}`;
  const policy = typeof permissions === 'string' ? permissions : permissions.join(', ');
  return [
    `agent: ${[`${first ?? 'none'}${instead}`, ...settings].join(' · ')}`,
    `session: ${session}`,
    `permissions: ${policy}`,
    ...agents.map((agent) => `  ${agent.name}: ${agent.permissions}`),
    'prompt:',
  ];
}
