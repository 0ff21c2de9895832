import { nearest, PitonError } from '../base/index.ts';
import { admitAgent, knownAgents, type RegisteredAgent } from '../model/index.ts';
import { acp } from './acp/acp.ts';
import { claude } from './claude/claude.ts';
import { codex } from './codex/codex.ts';
import { command } from './command/command.ts';
import type { Agent } from './contract.ts';
import { isWithin } from './detect.ts';
import { gemini } from './gemini/gemini.ts';
import { goose } from './goose/goose.ts';
import { opencode } from './opencode/opencode.ts';
import { scripted } from './scripted/scripted.ts';

const agents = new Map<string, Agent>(
  [claude, codex, gemini, opencode, goose, command, acp, scripted].map((agent) => [agent.name, agent]),
);

/**
 * Lets workflows name an agent of your own, in this process: register it before a workflow that names it is defined or
 * loaded, and before a run of one is taken up. The same one may be registered again. Throws `AGENT_INVALID`, and
 * `AGENT_NAME_TAKEN` if another one has the name: who does the work of a workflow must not depend on who came first.
 */
export function registerAgent(agent: Agent): RegisteredAgent {
  const { name, traits, executable } = agent;
  const present = agents.get(name);
  if (present === undefined) {
    assertValid(agent);
    agents.set(name, agent);
    admitAgent(name, { ...traits, isAnyProgram: executable === '' });
  } else if (present !== agent) {
    throw new PitonError('AGENT_NAME_TAKEN', `There is another agent "${name}" already.`, {
      agent: name,
      remedy: 'Register yours under another name.',
    });
  }
  return name as RegisteredAgent;
}

const namePattern = /^[a-z][a-z0-9-]{0,62}$/;

/** What the compiler would say, for those who do not ask it: without a part, work would fail long after it was begun. */
const parts = {
  title: 'string',
  choosesSession: 'boolean',
  traits: 'object',
  pricing: 'string',
  showsToolStart: 'boolean',
  asks: 'boolean',
  executable: 'string',
  variables: 'object',
  login: 'string',
  versionCommand: 'function',
  parseVersion: 'function',
  command: 'function',
  interactive: 'function',
  parser: 'function',
  toolClass: 'function',
  explainPermissions: 'function',
} as const satisfies Partial<Record<keyof Agent, string>>;

function assertValid(agent: Agent): void {
  const name = String(agent.name);
  if (!namePattern.test(name)) {
    const remedy = 'Use small letters, digits and hyphens, beginning with a letter.';
    throw new PitonError('AGENT_INVALID', `"${name}" is no name for an agent.`, { agent: name, remedy });
  }
  for (const [part, type] of Object.entries(parts)) {
    if (typeof agent[part as keyof Agent] === type) continue;
    const remedy = `Give it \`${part}\`, as the type \`Agent\` describes it.`;
    throw new PitonError('AGENT_INVALID', `The agent "${name}" has no ${part}.`, { agent: name, remedy });
  }
}

/** Throws `AGENT_UNKNOWN`. */
export function agentNamed(name: string): Agent {
  const agent = agents.get(name);
  if (agent !== undefined) return agent;
  const names = knownAgents();
  const meant = nearest(name, names);
  throw new PitonError('AGENT_UNKNOWN', `There is no agent "${name}".`, {
    agent: name,
    remedy:
      meant === undefined
        ? `There are: ${names.join(', ')}. One of your own is registered in each process that drives its runs (registerAgent).`
        : `Did you mean "${meant}"?`,
  });
}

/**
 * For people, where that version was not tried with the adapter; undefined where it was, or none is known. Runs of agents
 * that are not registered here can be looked at too.
 */
export function untestedText(agent: string, version: string | undefined): string | undefined {
  const { title, tested } = agents.get(agent) ?? { title: agent };
  if (version === undefined || isWithin(version, tested)) return undefined;
  const known =
    tested === undefined
      ? 'none is'
      : tested.from === tested.to
        ? `${tested.to} is`
        : `${tested.from} to ${tested.to} are`;
  return `${title} ${version} is not tested with Piton (${known})`;
}
