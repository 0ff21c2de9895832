import { agentNamed, agentNames, detectAgent, type Agent, type Detection } from '../../../agents/index.ts';
import type { Context } from '../context.ts';

export interface FoundAgent {
  readonly agent: Agent;
  readonly detection: Detection;
  /** Its program, if the project's settings name another than usual. */
  readonly executable?: string;
}

const longestAnswerMs = 5_000;

/** Every agent that Piton knows, with what is installed of it. All are asked at once, none for long. */
export async function lookForAgents({ env, config }: Pick<Context, 'env' | 'config'>): Promise<FoundAgent[]> {
  const options = { environment: env, timeoutMs: longestAnswerMs };
  return Promise.all(
    agentNames.map(async (name) => {
      const agent = agentNamed(name);
      const executable = config.agents[name]?.executable;
      const set = executable === undefined ? {} : { executable };
      return { agent, detection: await detectAgent(agent, { ...options, ...set }), ...set };
    }),
  );
}

export function testedText({ tested }: Agent): string {
  if (tested === undefined) return 'not tested: written from its documentation';
  const { from, to } = tested;
  return from === to ? `tested with ${from}` : `tested with ${from} to ${to}`;
}
