import type { Agent } from '../../../agents/index.ts';
import { cleanLine, type Output } from '../output/index.ts';
import { mendText, testedText, type FoundAgent } from './look-for-agents.ts';

const policies = ['read', 'edit', 'full'] as const;

/** The stable shape of `agents --json`. */
export function agentJson({ agent, detection, executable }: FoundAgent): unknown {
  const { name, title, tested, traits, pricing, asks, login } = agent;
  return {
    name,
    title,
    installed: !('missing' in detection),
    ...detection,
    ...(executable !== undefined && { executable }),
    tested,
    session: sessionId(agent),
    forks: traits.sessions === 'fork',
    pricing,
    asks,
    opens: canOpen(agent),
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
  if (found.executable !== undefined)
    output.print(`    its program is set in .piton/config.yaml: ${cleanLine(found.executable)}`);
  if (agent.login !== '') output.print(`    ${cleanLine(useText(found))}`);
  output.print(`    ${style.dim(abilitiesOf(agent))}`);
  for (const policy of policies)
    output.print(`    ${policy.padEnd(5)} ${cleanLine(agent.explainPermissions(policy))}`);
}

function useText(found: FoundAgent): string {
  return 'missing' in found.detection ? `to use it: ${mendText(found)}` : `log in with: ${found.agent.login}`;
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

/** When the id of a new session is known, if it has any. */
function sessionId(agent: Agent): 'chosen' | 'first-event' | 'none' {
  if (agent.traits.sessions === 'none') return 'none';
  return agent.choosesSession ? 'chosen' : 'first-event';
}

const sessions = {
  chosen: 'session id chosen before it starts',
  'first-event': 'session id known from its first event',
  none: 'no sessions',
} as const;

/** Whether a person can go on in its sessions. */
function canOpen(agent: Agent): boolean {
  return agent.interactive('').length > 0;
}

function opensText(agent: Agent): string {
  return canOpen(agent) ? 'piton open works' : 'piton open does not work';
}

function abilitiesOf(agent: Agent): string {
  const session = sessionId(agent);
  const forks = agent.traits.sessions === 'fork' ? 'sessions can be forked' : 'sessions cannot be forked';
  return [
    sessions[session],
    ...(session === 'none' ? [] : [forks, opensText(agent)]),
    prices[agent.pricing],
    agent.asks ? 'asks you for what it may not do' : 'what it may not do is denied',
    ...(agent.executable === '' ? [] : [testedText(agent)]),
  ].join(' · ');
}
