import { randomUUID } from 'node:crypto';
import { randomId } from '../base/index.ts';
import { agentNamed, findExecutable } from '../agents/index.ts';
import type { World } from '../kernel/index.ts';
import type { Evaluator } from '../model/index.ts';
import type { EnginePorts } from './options.ts';

/** What the kernel may not have of its own. */
export function makeWorld(
  { clock, maxOutputBytes, environment }: EnginePorts,
  evaluator: Evaluator,
  mayStart: boolean,
): World {
  return {
    now: clock.now(),
    chance: Math.random,
    mint: randomId,
    mintSession: (agent) => (agentNamed(agent).choosesSession ? randomUUID() : undefined),
    hasAgent: (agent) => isInstalled(agent, environment['PATH'] ?? ''),
    evaluator,
    mayStart,
    maxOutputBytes,
  };
}

/** One whose program the caller names is taken to be there. */
function isInstalled(agent: string, searchPath: string): boolean {
  const { executable } = agentNamed(agent);
  return executable === '' || findExecutable(executable, searchPath) !== undefined;
}
