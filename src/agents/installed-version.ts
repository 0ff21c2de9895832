import { statSync } from 'node:fs';
import type { Agent } from './contract.ts';
import { detectAgent, findExecutable, type DetectOptions } from './detect.ts';

/** A program that does not answer keeps its task waiting for so long, once. */
const patienceMs = 5_000;

const asked = new Map<string, Promise<string | undefined>>();

/**
 * The version of the program that would be started now. Asked once of each file as it is: it may be replaced while a run
 * goes on. Undefined: it is ours, the caller names it (any program might do anything when asked), or it does not tell.
 */
export async function installedVersion(
  agent: Agent,
  { environment, executable = agent.executable }: Omit<DetectOptions, 'timeoutMs'>,
): Promise<string | undefined> {
  if (agent.executable === '' || agent.executable === process.execPath) return undefined;
  const path = findExecutable(executable, environment['PATH'] ?? '');
  if (path === undefined) return undefined;
  const { ino, size, mtimeMs } = statSync(path);
  const file = `${agent.name} ${path} ${ino} ${size} ${mtimeMs}`;
  const answer = asked.get(file) ?? ask(agent, { environment, executable: path, timeoutMs: patienceMs });
  asked.set(file, answer);
  return answer;
}

async function ask(agent: Agent, options: DetectOptions): Promise<string | undefined> {
  const found = await detectAgent(agent, options);
  return 'missing' in found || found.version === 'unknown' ? undefined : found.version;
}
