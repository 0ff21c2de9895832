import { realpathSync } from 'node:fs';
import { delimiter, isAbsolute, relative } from 'node:path';
import { isInside } from '../../base/index.ts';
import { agentNamed, detectAgent, loginSigns, type DetectOptions } from '../../agents/index.ts';
import { knownAgents } from '../../model/index.ts';
import type { Surroundings, Trusting } from '../surroundings.ts';
import { isConfigTrusted } from '../trust/project-trust.ts';
import { agentView, type AgentView } from './agent-view.ts';

/** They start slowly, the more so all at once on a busy machine. */
const longestAnswerMs = 20_000;

/** Every agent that Piton knows, with what is installed of it. All are asked at once, none for ever. */
export async function lookForAgents(
  project: Pick<Trusting, 'env' | 'config' | 'granted'>,
): Promise<AgentView[]> {
  const config = await project.granted();
  const options = { ...surroundingsFor(project), timeoutMs: longestAnswerMs };
  return Promise.all(
    knownAgents().map(async (name) => {
      const agent = agentNamed(name);
      const executable = config.agents[name]?.executable;
      const set = executable === undefined ? {} : { executable };
      const detection = await detectAgent(agent, { ...options, ...set });
      const signs = 'missing' in detection ? undefined : loginSigns(name, project.env);
      return agentView({ agent, detection, ...set, ...(signs && { isLoggedIn: signs.isFound }) });
    }),
  );
}

/** Where a project is not trusted, no file of it is started, nor is one asked which version of a program to start. */
export function surroundingsFor({
  env,
  config,
}: Pick<Surroundings, 'env' | 'config'>): Pick<DetectOptions, 'environment' | 'directory'> {
  if (isConfigTrusted(config, env)) return { environment: env };
  const root = realpathSync(config.root);
  const elsewhere = (env['PATH'] ?? '').split(delimiter).filter((folder) => isOutside(folder, root));
  return { environment: { ...env, PATH: elsewhere.join(delimiter) }, directory: '/' };
}

/** By where it really is: a link may lead into the project. What cannot be looked at has no programs. */
function isOutside(folder: string, root: string): boolean {
  try {
    return isAbsolute(folder) && !isInside(relative(root, realpathSync(folder)));
  } catch {
    return false;
  }
}
