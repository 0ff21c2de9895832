import { nothingUsed, type RunState } from '../kernel/index.ts';
import type { Event, Used, Workflow } from '../model/index.ts';
import type { DaySpending } from './day-spending.ts';
import type { EnginePorts } from './options.ts';
import { patiently, type Patience } from './patience.ts';
import { locksElsewhere, repositoryLocksIn } from './repository-locks.ts';
import { abandonedSessions } from './session-lease.ts';

export interface ElsewherePorts extends EnginePorts {
  readonly spending: DaySpending;
  /** Why leases are not renewed at the moment, if so: nothing may be started. */
  heartbeatTrouble(): string | undefined;
}

/** What only the store can tell: what other runs have used and locked, and whether people still have our sessions. */
export class Elsewhere {
  readonly #ports: ElsewherePorts;
  readonly #patience: Patience;
  readonly #locks: ReadonlySet<string>;
  /** By agents, today. */
  used: Used = nothingUsed;
  /** Locks that others have, and who. */
  locked: ReadonlyMap<string, string> = new Map();

  constructor(ports: ElsewherePorts, workflow: Workflow, patience: Patience) {
    this.#ports = ports;
    this.#patience = patience;
    this.#locks = repositoryLocksIn(workflow);
  }

  /** Looks again, if there is anything to look at, as there is in few runs. Gives what that means for the run. */
  look(state: RunState): Promise<readonly Event[]> | readonly Event[] {
    const isNeeded =
      this.#locks.size > 0 || hasDayBudget(this.#ports, state) || Object.keys(state.lent).length > 0;
    return isNeeded ? patiently(this.#patience, () => this.#look(state)) : [];
  }

  async #look(state: RunState): Promise<readonly Event[]> {
    const events = await abandonedSessions(this.#ports, state);
    this.used = await usedElsewhere(this.#ports, state);
    if (this.#locks.size > 0) this.locked = await locksElsewhere(this.#ports, state, this.#locks);
    return events;
  }
}

/** What agents have used today in all other runs of the store; asked only where a budget of the day is to be kept. */
export async function usedElsewhere(ports: ElsewherePorts, state: RunState): Promise<Used> {
  return hasDayBudget(ports, state) ? ports.spending.elsewhere(state.run) : nothingUsed;
}

function hasDayBudget({ budgetPerDay }: EnginePorts, { workflow }: RunState): boolean {
  return budgetPerDay !== undefined || workflow.budget?.perDay !== undefined;
}
