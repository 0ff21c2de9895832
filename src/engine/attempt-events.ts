import { isPlainObject } from '../base/index.ts';
import type { TaskState } from '../kernel/index.ts';
import type { Event } from '../model/index.ts';
import type { TranscriptPart } from './agent-work.ts';
import type { Attempt } from './attempt.ts';
import { dayOf } from './calendar.ts';
import type { News } from './letter.ts';
import type { PlaceNews } from './placing.ts';

/** What is known of an attempt from now on. */
export function newsEvents(news: News, task: TaskState, now: number): Event[] {
  const { attempt } = news;
  switch (news.type) {
    case 'spawned': {
      const data = { process: news.process };
      return [{ type: 'attempt.spawned', task: attempt.task, attempt: attempt.id, data }];
    }
    case 'placed':
      return placedEvents(attempt.task, news.news);
    case 'transcript':
      return transcriptEvents(news, task, now);
  }
}

/** Where a task works from now on. */
function placedEvents(task: string, { place, isRecreated }: PlaceNews): Event[] {
  const prepared: Event = { type: 'workspace.prepared', task, data: place };
  if (!isRecreated) return [prepared];
  return [prepared, { type: 'workspace.recovered', task, data: { found: 'it was gone', how: 'recreated' } }];
}

/** What an agent has said; a session that it names is known from now on. */
function transcriptEvents(
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
