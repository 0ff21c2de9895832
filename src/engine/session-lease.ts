import { isCarried, PitonError, randomId } from '../base/index.ts';
import { lentOf, returnedSession, type RunState } from '../kernel/index.ts';
import type { Event, Lease } from '../model/index.ts';
import { findLease, type Store } from '../store/index.ts';
import { isDead, mayLive, takeLease } from './leases.ts';
import type { EnginePorts } from './options.ts';

/** Who holds it is in the conversation: nobody else may write there. */
function leaseNameOf(session: string): string {
  return `session:${session}`;
}

/** Carried by the program that a person has the session open in: it may outlive whoever holds the lease. */
export function markerOf({ token }: Lease): string {
  return `PITON_SESSION_${token}`;
}

/** Throws `SESSION_BUSY`. */
export async function takeSession(ports: EnginePorts, session: string): Promise<Lease> {
  const { store } = ports;
  const name = leaseNameOf(session);
  const current = await findLease(store, name);
  // Also one that has run out: the program may live on without whoever started it.
  if (current !== undefined && isHeld(current)) throw busy(current);
  const isGone = (holder: Lease): boolean => !isHeld(holder);
  const { taken, lease } = await takeLease(ports, { name, token: randomId(26) }, isGone);
  if (!taken) throw busy(lease);
  return lease;
}

function busy({ owner: { pid, host } }: Lease): PitonError {
  return new PitonError('SESSION_BUSY', `The session is open already: in process ${pid} on ${host}.`, {
    pid,
    host,
    remedy: 'Close it there first.',
  });
}

/** Sessions whose holder is gone without giving them back. */
export async function abandonedSessions(
  { store, clock }: EnginePorts,
  state: RunState,
): Promise<readonly Event[]> {
  const events: Event[] = [];
  const leases = await leasesOf(store, Object.keys(state.lent));
  for (const [session, { token }] of Object.entries(state.lent)) {
    const lease = leases.get(leaseNameOf(session));
    if (lease?.token === token && isHeld(lease)) continue;
    events.push(returnedSession(state, { token, at: clock.now(), abandoned: true })!);
  }
  return events;
}

/** Sessions that people have taken since the run ended: nobody had to be told then. */
export async function takenSessions({ store }: EnginePorts, state: RunState): Promise<Event[]> {
  const events: Event[] = [];
  const owners = new Map(
    [...state.tasks.values()].flatMap(({ conversation: { session }, address }) =>
      session === undefined || lentOf(state, session.id) !== undefined ? [] : [[session.id, address]],
    ),
  );
  const leases = await leasesOf(store, [...owners.keys()]);
  for (const [session, task] of owners) {
    const lease = leases.get(leaseNameOf(session));
    if (lease === undefined || !isHeld(lease)) continue;
    const { token, takenAt: from, owner } = lease;
    const { host, pid } = owner;
    events.push({ type: 'session.lent', task, data: { session, from, host, pid, token } });
  }
  return events;
}

async function leasesOf(store: Store, sessions: readonly string[]): Promise<ReadonlyMap<string, Lease>> {
  return sessions.length === 0 ? new Map() : store.findLeases(sessions.map(leaseNameOf));
}

function isHeld(lease: Lease): boolean {
  return mayLive(lease) || (isDead(lease) && isCarried(markerOf(lease)));
}
