import { nearest, PitonError } from '../base/index.ts';
import { acp } from './acp/acp.ts';
import { claude } from './claude/claude.ts';
import { codex } from './codex/codex.ts';
import { command } from './command/command.ts';
import type { Agent } from './contract.ts';
import { gemini } from './gemini/gemini.ts';
import { goose } from './goose/goose.ts';
import { opencode } from './opencode/opencode.ts';
import { scripted } from './scripted/scripted.ts';

const agents: ReadonlyMap<string, Agent> = new Map(
  [claude, codex, gemini, opencode, goose, command, acp, scripted].map((agent) => [agent.name, agent]),
);

export const agentNames: readonly string[] = Object.freeze([...agents.keys()]);

/** Throws `AGENT_UNKNOWN`. */
export function agentNamed(name: string): Agent {
  const agent = agents.get(name);
  if (agent !== undefined) return agent;
  const meant = nearest(name, agentNames);
  throw new PitonError('AGENT_UNKNOWN', `There is no agent "${name}".`, {
    agent: name,
    remedy: meant === undefined ? `There are: ${agentNames.join(', ')}.` : `Did you mean "${meant}"?`,
  });
}
