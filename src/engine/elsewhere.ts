import { nothingUsed, type RunState } from '../kernel/index.ts';
import type { Event, Used, Workflow } from '../model/index.ts';
import type { EnginePorts } from './options.ts';
import { locksElsewhere, repositoryLocksIn } from './repository-locks.ts';
import { abandonedSessions } from './session-lease.ts';
import { usedElsewhere } from './used-elsewhere.ts';

/** What only the store can tell: what other runs have used and locked, and whether people still have our sessions. */
export class Elsewhere {
  readonly #ports: EnginePorts;
  readonly #locks: ReadonlySet<string>;
  /** By agents, today. */
  used: Used = nothingUsed;
  /** Locks that others have, and who. */
  locked: ReadonlyMap<string, string> = new Map();

  constructor(ports: EnginePorts, workflow: Workflow) {
    this.#ports = ports;
    this.#locks = repositoryLocksIn(workflow);
  }

  /** Looks again. Gives what that means for the run. */
  async look(state: RunState): Promise<readonly Event[]> {
    const events = await abandonedSessions(this.#ports, state);
    this.used = await usedElsewhere(this.#ports, state);
    if (this.#locks.size > 0) this.locked = await locksElsewhere(this.#ports, state, this.#locks);
    return events;
  }
}
