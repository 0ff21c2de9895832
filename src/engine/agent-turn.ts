import { findExecutable, type Agent } from '../agents/index.ts';
import type { Environment } from './task-environment.ts';
import { firstStart, type FirstStart, type Starting } from './first-start.ts';

/** When an agent may be started whose first start is to be alone. */
export class AgentTurn {
  readonly #agent: Agent;
  readonly #environment: Environment;
  #starting: Starting | undefined;
  #first: FirstStart | undefined;

  constructor(agent: Agent, environment: Environment) {
    this.#agent = agent;
    this.#environment = environment;
  }

  /** `program` as in its command line, `surroundings`: what it will find in its environment. */
  join(program: string, surroundings: Readonly<Record<string, string>>): void {
    const file = this.#agent.preparedFile?.(surroundings);
    const path = findExecutable(program, surroundings['PATH'] ?? '');
    if (file === undefined || path === undefined) return;
    this.#starting = { file, program: path, environment: this.#environment };
  }

  async wait(signal: AbortSignal): Promise<void> {
    if (this.#starting !== undefined) this.#first = await firstStart(this.#starting, signal);
  }

  /** It has a session: so its file is prepared. */
  pass(): void {
    this.#first?.done();
  }
}
