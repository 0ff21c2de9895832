import type { Agent } from '../../../agents/index.ts';
import { cleanLine, type Output } from '../output/index.ts';
import { testedText, type FoundAgent } from './look-for-agents.ts';

const policies = ['read', 'edit', 'full'] as const;

/** The stable shape of `agents --json`. */
export function agentJson({ agent, detection }: FoundAgent): unknown {
  const { name, title, tested, forks, pricing, login } = agent;
  return {
    name,
    title,
    installed: 'path' in detection,
    ...detection,
    tested,
    session: sessionId(agent),
    forks,
    pricing,
    permissions: Object.fromEntries(policies.map((policy) => [policy, agent.explainPermissions(policy)])),
    ...(login !== '' && { login }),
  };
}

export function printAgent(output: Output, found: FoundAgent): void {
  const { agent } = found;
  const { symbol, colour, text } = standingOf(found);
  const { style } = output;
  const name = `${style.bold(agent.name)} ${style.dim(`(${agent.title})`)}`;
  output.print(`${style[colour](symbol)} ${name}  ${cleanLine(text)}`);
  if ('missing' in found.detection && agent.login !== '')
    output.print(`    to use it: install it, then log in: ${agent.login}`);
  output.print(`    ${style.dim(abilitiesOf(agent))}`);
  for (const policy of policies)
    output.print(`    ${policy.padEnd(5)} ${cleanLine(agent.explainPermissions(policy))}`);
}

function standingOf({ agent, detection }: FoundAgent): {
  symbol: string;
  colour: 'green' | 'yellow' | 'dim';
  text: string;
} {
  if ('missing' in detection) return { symbol: '-', colour: 'dim', text: detection.missing };
  const { version, path, isTested } = detection;
  const text = `${version}, ${path}`;
  if (isTested) return { symbol: '✓', colour: 'green', text };
  return { symbol: '!', colour: 'yellow', text: `${text} (this version is untested; ${testedText(agent)})` };
}

const prices: Readonly<Record<Agent['pricing'], string>> = {
  usd: 'tells tokens and dollars',
  tokens: 'tells tokens, unpriced',
  none: 'tells nothing of its cost',
};

/** When the id of a new session is known. What cannot be opened again has none. */
function sessionId(agent: Agent): 'chosen' | 'first-event' | 'none' {
  if (agent.interactive('').length === 0) return 'none';
  return agent.choosesSession ? 'chosen' : 'first-event';
}

const sessions = {
  chosen: 'session id chosen before it starts',
  'first-event': 'session id known from its first event',
  none: 'no sessions',
} as const;

function abilitiesOf(agent: Agent): string {
  const session = sessionId(agent);
  const forks = agent.forks ? 'sessions can be forked' : 'sessions cannot be forked';
  return [
    sessions[session],
    ...(session === 'none' ? [] : [forks]),
    prices[agent.pricing],
    ...(agent.executable === '' ? [] : [testedText(agent)]),
  ].join(' · ');
}
