import type { ProcessIdentity } from '../base/index.ts';
import type { AttemptState } from '../kernel/index.ts';
import type { Outcome } from '../model/index.ts';
import type { Sighting, Spool } from '../spool/index.ts';
import type { Found } from './command-attempt.ts';

/** What a new driver makes of a command that was under way: something to go on with, or how it ended. */
export type Finding =
  | { readonly how: 'adopted' | 'harvested'; readonly found: Found }
  | { readonly how: 'interrupted'; readonly outcome: Extract<Outcome, { type: 'interrupted' }> };

/**
 * Is anyone alive? Else, is there a valid exit record? Else nobody knows how it ended: then nothing of it may be left
 * alive, and after that an exit may yet have been written. What has not begun is kept from ever beginning.
 */
export async function findAttempt(spool: Spool, { id, process }: AttemptState): Promise<Finding> {
  for (;;) {
    const seen = spool.look(id, process);
    switch (seen.type) {
      case 'alive':
        return { how: 'adopted', found: seen };
      case 'exited':
        return { how: 'harvested', found: seen };
      case 'elsewhere':
        return interrupted(`it was started on ${seen.host}, and cannot be seen from here`, {
          mayStillRun: true,
        });
      case 'absent':
      case 'unclaimed':
        if (!spool.claim(id)) continue;
        // A process is known, but not its spool: somebody removed it, and with it how the command ended.
        if (process !== undefined) return endRemains(spool, { id, process });
        return interrupted('it had not begun', { neverBegan: true });
      case 'vanished':
        return endRemains(spool, { id, process });
    }
  }
}

async function endRemains(
  spool: Spool,
  { id, process }: { readonly id: string; readonly process: ProcessIdentity | undefined },
): Promise<Finding> {
  const { survivors } = await spool.fence(id, process === undefined ? {} : { process });
  const seen: Sighting = spool.look(id, process);
  if (seen.type === 'exited') return { how: 'harvested', found: seen };
  if (survivors.length > 0) {
    return interrupted(`its processes ${survivors.join(', ')} cannot be ended`, { mayStillRun: true });
  }
  return interrupted('its process ended without leaving an exit code', {});
}

function interrupted(
  reason: string,
  flags: { readonly mayStillRun?: boolean; readonly neverBegan?: boolean },
): Finding {
  return { how: 'interrupted', outcome: { type: 'interrupted', reason, ...flags } };
}
