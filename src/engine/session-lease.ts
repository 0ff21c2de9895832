import { livenessOf, PitonError, randomId } from '../base/index.ts';
import { returnedSession, type RunState } from '../kernel/index.ts';
import type { Event, Lease } from '../model/index.ts';
import type { EnginePorts } from './options.ts';

/** Who holds it is in the conversation: nobody else may write there. */
function leaseNameOf(session: string): string {
  return `session:${session}`;
}

/** Throws `SESSION_BUSY`. */
export async function takeSession({ store, owner, leaseMs }: EnginePorts, session: string): Promise<Lease> {
  const request = { name: leaseNameOf(session), owner, token: randomId(26), leaseMs };
  const first = await store.takeLease(request);
  if (first.taken) return first.lease;
  if (livenessOf(first.lease.owner) !== 'dead') throw busy(first.lease);
  const second = await store.takeLease({ ...request, replaces: first.lease.token });
  if (!second.taken) throw busy(second.lease);
  return second.lease;
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
  for (const [session, { token }] of Object.entries(state.lent)) {
    const lease = await store.findLease(leaseNameOf(session));
    if (isHeld(lease, { token, now: clock.now() })) continue;
    events.push(returnedSession(state, { token, at: clock.now(), abandoned: true })!);
  }
  return events;
}

function isHeld(
  lease: Lease | undefined,
  { token, now }: { readonly token: string; readonly now: number },
): boolean {
  if (lease === undefined || lease.token !== token) return false;
  const seen = livenessOf(lease.owner);
  return seen === 'unknown' ? lease.expiresAt > now : seen !== 'dead';
}
