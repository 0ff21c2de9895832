import { isPlainObject, type ProcessIdentity } from '../base/index.ts';
import type { TaskState } from '../kernel/index.ts';
import type { Event } from '../model/index.ts';
import type { TranscriptPart } from './agent-work.ts';
import type { Attempt } from './attempt.ts';
import { dayOf } from './calendar.ts';

export function spawnedEvent(letter: {
  readonly attempt: Attempt;
  readonly process: ProcessIdentity;
}): Event {
  const { attempt, process } = letter;
  return { type: 'attempt.spawned', task: attempt.task, attempt: attempt.id, data: { process } };
}

/** What an agent has said; a session that it names is known from now on. */
export function transcriptEvents(
  { attempt, part }: { readonly attempt: Attempt; readonly part: TranscriptPart },
  task: TaskState,
  now: number,
): Event[] {
  const place = { task: attempt.task, attempt: attempt.id };
  const { upTo, entries, session } = part;
  const tellsUsage = entries.some((entry) => isPlainObject(entry) && entry['type'] === 'usage');
  const data = { upTo, entries, ...(tellsUsage && { day: dayOf(now) }) };
  const added: Event = { type: 'transcript.added', ...place, data };
  if (session === undefined) return [added];
  const { id, ...traits } = session;
  const agent = task.life.status === 'running' ? task.life.attempt!.agent!.name : '';
  return [{ type: 'session.opened', ...place, data: { agent, session: id, ...traits } }, added];
}
