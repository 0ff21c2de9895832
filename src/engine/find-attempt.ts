import { ownIdentity, type ProcessIdentity } from '../base/index.ts';
import type { AttemptState } from '../kernel/index.ts';
import type { Outcome } from '../model/index.ts';
import type { Exit, Sighting, Spool, WatchingAttempts } from '../spool/index.ts';

/** How an attempt's process is met: alive, ended with its result in the spool, or gone without one. */
export type Found = Extract<Sighting, { type: 'alive' | 'exited' | 'vanished' }>;

/** There is something to go on with. */
type Seen = Extract<Found, { type: 'alive' | 'exited' }>;

/** How a command that was under way stands, as far as that can be seen without changing anything. */
export type Standing =
  | { readonly type: 'alive' | 'ended'; readonly found: Seen }
  /** Unless it begins in this moment: the claim decides. */
  | { readonly type: 'not-begun' }
  /** Something of it may be alive, or its exit be written yet. */
  | { readonly type: 'unknown' }
  | Interrupted;

interface Interrupted {
  readonly type: 'interrupted';
  readonly reason: string;
  readonly mayStillRun?: boolean;
}

type Attempt = Pick<AttemptState, 'id'> & { readonly process?: ProcessIdentity | undefined };

export async function standingOf(spool: WatchingAttempts, { id, process }: Attempt): Promise<Standing> {
  const seen = await spool.look(id, process);
  switch (seen.type) {
    case 'alive':
      return { type: 'alive', found: seen };
    case 'exited':
      return wasShutDown(seen.exit, process)
        ? { type: 'interrupted', reason: 'the machine was shut down while it ran' }
        : { type: 'ended', found: seen };
    case 'elsewhere': {
      const reason = `it was started on ${seen.host}, and cannot be seen from here`;
      return { type: 'interrupted', reason, mayStillRun: true };
    }
    case 'absent':
    case 'unclaimed':
      // A process is known, but not its spool: somebody removed it, and with it how the command ended.
      return { type: process === undefined ? 'not-begun' : 'unknown' };
    case 'vanished':
      return { type: 'unknown' };
  }
}

/** Hangup, interrupt, kill and termination: what a machine that is shut down sends to everyone. */
const shutDownCodes = new Set([129, 130, 137, 143]);

function wasShutDown({ code, timedOut }: Exit, process: ProcessIdentity | undefined): boolean {
  const isOfEarlierBoot = process !== undefined && process.bootId !== ownIdentity().bootId;
  return isOfEarlierBoot && shutDownCodes.has(code) && !timedOut;
}

/** What a new driver makes of it: something to go on with, or how it ended. */
export type Finding =
  | { readonly how: 'adopted' | 'harvested'; readonly found: Seen }
  | { readonly how: 'interrupted'; readonly outcome: Extract<Outcome, { type: 'interrupted' }> };

/**
 * Is anyone alive? Else, is there a valid exit record? Else nobody knows how it ended: then nothing of it may be left
 * alive, and after that an exit may yet have been written. What has not begun is kept from ever beginning.
 */
export async function findAttempt(spool: Spool, attempt: Attempt): Promise<Finding> {
  for (;;) {
    const standing = await standingOf(spool, attempt);
    switch (standing.type) {
      case 'alive':
        return { how: 'adopted', found: standing.found };
      case 'ended':
        return { how: 'harvested', found: standing.found };
      case 'interrupted':
        return { how: 'interrupted', outcome: standing };
      case 'not-begun':
        // It may have begun since: then the claim is taken, and it is looked at once more.
        if (await spool.claim(attempt.id)) return neverBegan;
        break;
      case 'unknown':
        return endRemains(spool, attempt);
    }
  }
}

const neverBegan: Finding = {
  how: 'interrupted',
  outcome: { type: 'interrupted', reason: 'it had not begun', neverBegan: true },
};

async function endRemains(spool: Spool, attempt: Attempt): Promise<Finding> {
  const { id, process } = attempt;
  // Where the spool was removed: nobody may begin it there.
  await spool.claim(id);
  const { ended, survivors } = await spool.fence(id, process === undefined ? {} : { process });
  const standing = await standingOf(spool, attempt);
  if (standing.type === 'ended' && (ended === 0 || hasSucceeded(standing.found))) {
    return { how: 'harvested', found: standing.found };
  }
  return { how: 'interrupted', outcome: lostOutcome(survivors, await spool.look(id, process)) };
}

/** How it ended otherwise, while we ended what was left of it, was our doing. */
function hasSucceeded(seen: Seen): boolean {
  return seen.type === 'exited' && seen.exit.code === 0 && !seen.exit.timedOut;
}

/** Its wrapper is gone, and nobody can be believed about how it ended. */
export function lostOutcome(survivors: readonly number[], seen: Sighting): Interrupted {
  if (survivors.length > 0) {
    const reason = `its processes ${survivors.join(', ')} cannot be ended`;
    return { type: 'interrupted', reason, mayStillRun: true };
  }
  const doubt = seen.type === 'vanished' ? seen.doubt : undefined;
  return { type: 'interrupted', reason: doubt ?? 'its process ended without leaving an exit code' };
}
