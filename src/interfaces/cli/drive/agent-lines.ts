import { shellWord } from '../../../base/index.ts';
import type { PlannedAgent, PlannedChoice } from '../../../project/index.ts';

/** As lines to print. */
export function agentLines({ agents, permissions, session, settings }: PlannedAgent): string[] {
  const [first, ...others] = agents.map(({ name }) => name);
  const instead = others.length === 0 ? '' : `, or else ${others.join(', ')}`;
  const policy = typeof permissions === 'string' ? permissions : permissions.join(', ');
  return [
    `agent: ${[`${first ?? 'none'}${instead}`, ...settings].join(' · ')}`,
    `session: ${session}`,
    `permissions: ${policy}`,
    ...agents.flatMap(choiceLines),
    'prompt:',
  ];
}

function choiceLines({ name, permissions, args }: PlannedChoice): string[] {
  return [
    `  ${name}: ${permissions}`,
    ...(args.length === 0 ? [] : [`  ${name} arguments: ${args.map(shellWord).join(' ')}`]),
  ];
}
