import type { RunState } from '../kernel/index.ts';
import { isFinal, type Event, type StoredCommit } from '../model/index.ts';
import { findRun } from './chain.ts';
import { createDecoder } from './codec.ts';
import type { EnginePorts } from './options.ts';

interface Since {
  /** At the checkpoint. */
  readonly state: RunState;
  /** The commits after it. */
  readonly since: readonly StoredCommit[];
  /** Attempts that had not begun. */
  readonly unbegun: ReadonlySet<string>;
  /** The fork takes the place of the run, which does not go on. */
  readonly supersedes: boolean;
}

/**
 * Sessions of agents that have been gone on in since a checkpoint, or may yet be before they are copied: a copy would be of what they are
 * then. As long as a run goes on, these are all that it has.
 */
export async function outgrownSessions(ports: EnginePorts, since: Since): Promise<readonly string[]> {
  const { state, supersedes } = since;
  const { status } = await findRun(ports.store, state.fork!.run);
  if (!supersedes && !isFinal(status)) return sessionsOf(state);
  const known = runningSessions(since);
  const outgrown = new Set<string>();
  for (const [attempt, session] of known)
    if ((await ports.spool.look(attempt)).type === 'alive') outgrown.add(session);
  const decode = createDecoder(ports.store, { transcripts: false });
  for (const stored of since.since) {
    const { events } = await decode(stored);
    for (const session of events.flatMap((event) => sessionsIn(event, known))) outgrown.add(session);
  }
  return [...outgrown];
}

/** Of attempts under way, by attempt. */
function runningSessions({ state, unbegun }: Since): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const { life, conversation } of state.tasks.values()) {
    const attempt = life.status === 'running' ? life.attempt : undefined;
    if (conversation.session !== undefined && attempt !== undefined && !unbegun.has(attempt.id))
      known.set(attempt.id, conversation.session.id);
  }
  return known;
}

function sessionsOf({ tasks }: RunState): readonly string[] {
  return Array.from(tasks.values()).flatMap(({ conversation: { session } }) => session?.id ?? []);
}

function sessionsIn(event: Event, known: ReadonlyMap<string, string>): readonly string[] {
  switch (event.type) {
    case 'attempt.started': {
      const { agent } = event.data;
      return agent?.how === 'continue' && agent.session !== undefined ? [agent.session] : [];
    }
    case 'session.opened':
    case 'session.lent':
      return [event.data.session];
    case 'transcript.added': {
      const session = known.get(event.attempt);
      return session === undefined ? [] : [session];
    }
    default:
      return [];
  }
}
