import { randomUUID } from 'node:crypto';
import { agentNamed, findExecutable } from '../agents/index.ts';
import { randomId } from '../base/index.ts';
import { nothingUsed, type World } from '../kernel/index.ts';
import type { Budget, Evaluator, Used, Workflow } from '../model/index.ts';
import { afterQuietHours, dayOf, endOfDay } from './calendar.ts';
import type { EnginePorts } from './options.ts';
import { redactor } from './redact.ts';
import { secretNames } from './secrets.ts';

export interface WorldGiven {
  readonly evaluator: Evaluator;
  /** Whose secrets are hidden. */
  readonly workflow: Workflow;
  readonly mayStart: boolean;
  /** What agents have used today in other runs. */
  readonly elsewhere?: Used;
  /** Locks that other runs have, and who. */
  readonly locked?: ReadonlyMap<string, string>;
}

export function makeWorld(ports: EnginePorts, given: WorldGiven): World {
  return new EngineWorld(ports, given);
}

/** What the kernel may not have of its own. A class, because one is made at every transition. */
class EngineWorld implements World {
  readonly now: number;
  readonly evaluator: Evaluator;
  readonly mayStart: boolean;
  readonly maxOutputBytes: number;
  declare readonly budgetPerDay?: Budget;
  readonly #ports: EnginePorts;
  readonly #given: WorldGiven;

  constructor(ports: EnginePorts, given: WorldGiven) {
    this.now = ports.clock.now();
    this.evaluator = given.evaluator;
    this.mayStart = given.mayStart;
    this.maxOutputBytes = ports.maxOutputBytes;
    if (ports.budgetPerDay !== undefined) this.budgetPerDay = ports.budgetPerDay;
    this.#ports = ports;
    this.#given = given;
  }

  /** Only agents that may not use more than so much a day need it: then it is worth its cost. */
  get today(): World['today'] {
    const { elsewhere = nothingUsed } = this.#given;
    return { day: dayOf(this.now), endsAt: endOfDay(this.now), elsewhere };
  }

  /** Made when it is needed, which is seldom. */
  readonly redact = (text: string): string => {
    const { environment, secrets } = this.#ports;
    const names = new Set([...secrets, ...secretNames(this.#given.workflow)]);
    return redactor([...names].flatMap((name) => environment[name] ?? []))(text);
  };

  chance(): number {
    return Math.random();
  }

  mint(): string {
    return randomId();
  }

  mintSession(agent: string): string | undefined {
    return agentNamed(agent).choosesSession ? randomUUID() : undefined;
  }

  /** One whose program the caller names is taken to be there. */
  hasAgent(agent: string): boolean {
    const { agents, environment } = this.#ports;
    const executable = agents[agent]?.executable ?? agentNamed(agent).executable;
    return executable === '' || findExecutable(executable, environment['PATH'] ?? '') !== undefined;
  }

  afterQuietHours(...given: Parameters<World['afterQuietHours']>): number {
    return afterQuietHours(...given);
  }

  lockedBy(lock: string): string | undefined {
    return this.#given.locked?.get(lock);
  }
}
