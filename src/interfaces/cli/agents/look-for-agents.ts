import { delimiter, isAbsolute, relative } from 'node:path';
import {
  agentNamed,
  detectAgent,
  type Agent,
  type Detection,
  type DetectOptions,
} from '../../../agents/index.ts';
import { knownAgents } from '../../../model/index.ts';
import type { Context } from '../context.ts';

export interface FoundAgent {
  readonly agent: Agent;
  readonly detection: Detection;
  /** Its program, if the project's settings name another than usual. */
  readonly executable?: string;
}

/** They start slowly, the more so all at once on a busy machine. */
const longestAnswerMs = 20_000;

/** Every agent that Piton knows, with what is installed of it. All are asked at once, none for ever. */
export async function lookForAgents(
  context: Pick<Context, 'env' | 'config' | 'granted'>,
): Promise<FoundAgent[]> {
  const config = await context.granted();
  const options = { ...(await surroundingsFor(context)), timeoutMs: longestAnswerMs };
  return Promise.all(
    knownAgents().map(async (name) => {
      const agent = agentNamed(name);
      const executable = config.agents[name]?.executable;
      const set = executable === undefined ? {} : { executable };
      return { agent, detection: await detectAgent(agent, { ...options, ...set }), ...set };
    }),
  );
}

/** Where a project is not trusted, no file of it is started, nor is one asked which version of a program to start. */
async function surroundingsFor({
  env,
  config,
}: Pick<Context, 'env' | 'config'>): Promise<Pick<DetectOptions, 'environment' | 'directory'>> {
  const { isConfigTrusted } = await import('../trust/project-trust.ts');
  if (isConfigTrusted(config, env)) return { environment: env };
  const elsewhere = (env['PATH'] ?? '').split(delimiter).filter((folder) => isOutside(folder, config.root));
  return { environment: { ...env, PATH: elsewhere.join(delimiter) }, directory: '/' };
}

function isOutside(folder: string, root: string): boolean {
  return isAbsolute(folder) && relative(root, folder).startsWith('..');
}

/** What to do about one that is not there, or does not work. */
export function mendText({ agent, detection }: FoundAgent): string {
  return detection.path === undefined
    ? `install ${agent.title}, then log in: ${agent.login}`
    : `see what it says: ${[detection.path, ...agent.versionCommand().slice(1)].join(' ')}`;
}

export function testedText({ tested }: Agent): string {
  if (tested === undefined) return 'not tested: written from its documentation';
  const { from, to } = tested;
  return from === to ? `tested with ${from}` : `tested with ${from} to ${to}`;
}
