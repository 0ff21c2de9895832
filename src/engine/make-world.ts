import { randomUUID } from 'node:crypto';
import { agentNamed, findExecutable } from '../agents/index.ts';
import { randomId } from '../base/index.ts';
import { nothingUsed, type World } from '../kernel/index.ts';
import type { Evaluator, Used } from '../model/index.ts';
import { afterQuietHours, dayOf, endOfDay } from './calendar.ts';
import type { EnginePorts } from './options.ts';

export interface WorldGiven {
  readonly evaluator: Evaluator;
  readonly mayStart: boolean;
  /** What agents have used today in other runs. */
  readonly elsewhere?: Used;
  /** Locks that other runs have, and who. */
  readonly locked?: ReadonlyMap<string, string>;
}

/** What the kernel may not have of its own. */
export function makeWorld(
  ports: EnginePorts,
  { evaluator, mayStart, elsewhere = nothingUsed, locked }: WorldGiven,
): World {
  const { maxOutputBytes, budgetPerDay } = ports;
  const now = ports.clock.now();
  return {
    now,
    chance: Math.random,
    mint: randomId,
    mintSession: (agent) => (agentNamed(agent).choosesSession ? randomUUID() : undefined),
    hasAgent: (agent) => isInstalled(agent, ports),
    afterQuietHours,
    // Only agents that may not use more than so much a day need it: then it is worth its cost.
    get today() {
      return { day: dayOf(now), endsAt: endOfDay(now), elsewhere };
    },
    ...(budgetPerDay !== undefined && { budgetPerDay }),
    lockedBy: (lock) => locked?.get(lock),
    evaluator,
    mayStart,
    maxOutputBytes,
  };
}

/** One whose program the caller names is taken to be there. */
function isInstalled(agent: string, { agents, environment }: EnginePorts): boolean {
  const executable = agents[agent]?.executable ?? agentNamed(agent).executable;
  return executable === '' || findExecutable(executable, environment['PATH'] ?? '') !== undefined;
}
