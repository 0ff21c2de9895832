import { agentNamed, agentNames, detectAgent, type Agent, type Detection } from '../../../agents/index.ts';
import type { Context } from '../context.ts';

export interface FoundAgent {
  readonly agent: Agent;
  readonly detection: Detection;
}

const longestAnswerMs = 5_000;

/** Every agent that Piton knows, with what is installed of it. All are asked at once, none for long. */
export async function lookForAgents({ env }: Pick<Context, 'env'>): Promise<FoundAgent[]> {
  const options = { environment: env, timeoutMs: longestAnswerMs };
  return Promise.all(
    agentNames.map(async (name) => {
      const agent = agentNamed(name);
      return { agent, detection: await detectAgent(agent, options) };
    }),
  );
}

export function testedText({ tested }: Agent): string {
  if (tested === undefined) return 'not tested: written from its documentation';
  const { from, to } = tested;
  return from === to ? `tested with ${from}` : `tested with ${from} to ${to}`;
}
