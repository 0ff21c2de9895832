import { testedText, type AgentView } from '../../../project/index.ts';
import { cleanLine, type Output } from '../output/index.ts';

/** A line for each: whether it can be used, else what to do. */
export function printAgents(output: Output, agents: readonly AgentView[]): void {
  const { style } = output;
  output.table(
    agents.map((agent) => {
      const { symbol, colour } = standingOf(agent);
      return [
        { text: `${symbol} ${agent.name}`, paint: style[colour] },
        installedText(agent),
        cleanLine(useText(agent)),
      ];
    }),
  );
}

/** All about one. */
export function printAgent(output: Output, agent: AgentView): void {
  const { symbol, colour, text } = standingOf(agent);
  const { style } = output;
  const name = `${style.bold(agent.name)} ${style.dim(`(${agent.title})`)}`;
  output.print(`${style[colour](symbol)} ${name}  ${cleanLine(text)}`);
  if (agent.executable !== undefined)
    output.print(`    its program is set in .piton/config.yaml: ${cleanLine(agent.executable)}`);
  output.print(`    ${cleanLine(useText(agent))}`);
  output.print(`    ${style.dim(abilitiesOf(agent))}`);
  for (const [policy, text] of Object.entries(agent.permissions))
    output.print(`    ${policy.padEnd(5)} ${cleanLine(text)}`);
}

function installedText({ version, hasProgram, path }: AgentView): string {
  if (version !== undefined) return version;
  if (!hasProgram) return 'any program';
  return path === undefined ? 'not installed' : 'does not work';
}

function useText(agent: AgentView): string {
  if (agent.missing !== undefined) return agent.remedy!;
  return agent.isTested === true ? loginText(agent) : `${loginText(agent)}; this version is untested`;
}

function loginText({ login, isLoggedIn }: AgentView): string {
  if (login === undefined) return 'needs no login';
  if (isLoggedIn === undefined) return `if it is not logged in: ${login}`;
  return isLoggedIn ? 'logged in' : `not logged in: ${login}`;
}

function standingOf(agent: AgentView): {
  symbol: string;
  colour: 'green' | 'yellow' | 'dim';
  text: string;
} {
  const { version, path, isTested, missing } = agent;
  if (missing !== undefined) return { symbol: '-', colour: 'dim', text: missing };
  const text = `${version}, ${path}`;
  if (isTested) return { symbol: '✓', colour: 'green', text };
  return { symbol: '!', colour: 'yellow', text: `${text} (this version is untested; ${testedText(agent)})` };
}

const prices: Readonly<Record<AgentView['pricing'], string>> = {
  usd: 'tells tokens and dollars',
  tokens: 'tells tokens, unpriced',
  none: 'tells nothing of its cost',
};

const sessions: Readonly<Record<AgentView['session'], string>> = {
  chosen: 'session id chosen before it starts',
  'first-event': 'session id known from its first event',
  none: 'no sessions',
};

function abilitiesOf(agent: AgentView): string {
  const { session, forks, opens, pricing, asks, hasProgram } = agent;
  const abilities = [
    forks ? 'sessions can be forked' : 'sessions cannot be forked',
    opens ? 'piton open works' : 'piton open does not work',
  ];
  return [
    sessions[session],
    ...(session === 'none' ? [] : abilities),
    prices[pricing],
    asks ? 'asks you for what it may not do' : 'what it may not do is denied',
    ...(hasProgram ? [testedText(agent)] : []),
  ].join(' · ');
}
