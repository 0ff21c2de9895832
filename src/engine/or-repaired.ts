import { PitonError } from '../base/index.ts';
import type { EnginePorts } from './options.ts';
import { repairRun } from './repair.ts';

/** What going back to the last good commit can mend. */
const mendable: ReadonlySet<string> = new Set(['RUN_DAMAGED', 'RUN_BEHIND']);

/**
 * Does something with a run. If that is refused because its journal is damaged or has lost its end, and the policy is to repair, the run
 * is taken back to its last good commit, what may have run since is held, observers are told, and it is tried once more.
 */
export async function orRepaired<T>(ports: EnginePorts, run: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    if (ports.onDamage !== 'repair' || !isMendable(thrown, run)) throw thrown;
    await repairRun(ports, run);
    return act();
  }
}

/** Also the row of that run alone; not a store that cannot be read. */
function isMendable(thrown: unknown, run: string): boolean {
  if (!(thrown instanceof PitonError)) return false;
  return mendable.has(thrown.code) || (thrown.code === 'STORE_DAMAGED' && thrown.details['run'] === run);
}
