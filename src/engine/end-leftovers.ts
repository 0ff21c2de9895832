import type { RunState } from '../kernel/index.ts';
import type { Spool } from '../spool/index.ts';
import type { StopReason } from './attempt.ts';

const reason: StopReason = { type: 'interrupted', text: 'its run was cancelled' };

/**
 * Ends what lives of a cancelled run and only the spool knows: its turn to be taken up never came. Should the run be gone
 * on with, it is found as interrupted.
 */
export async function endLeftovers(spool: Spool, { spooled = {} }: RunState): Promise<void> {
  for (const { attempt } of Object.values(spooled).flat()) {
    if (spool.look(attempt).type !== 'alive') continue;
    spool.noteStop(attempt, JSON.stringify(reason));
    await spool.fence(attempt);
  }
}
