import { isPlainObject } from '../base/index.ts';
import { isSettled, taskAt, type RunState, type TaskState } from '../kernel/index.ts';
import type { Event } from '../model/index.ts';
import type { TranscriptPart } from './agent-work.ts';
import type { Attempt } from './attempt.ts';
import { dayOf } from './calendar.ts';
import type { Letter, News } from './letter.ts';
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
    case 'saved':
      return [{ type: 'workspace.saved', task: attempt.task, attempt: attempt.id, data: { ...news.saved } }];
    case 'transcript':
      return transcriptEvents(news, task, now);
  }
}

/** What became of the place of a task that has come to its end; nothing, if it was begun again meanwhile. */
export function cleanedEvents(
  { place, cleaned }: Extract<Letter, { type: 'cleaned' }>,
  state: RunState,
): Event[] {
  const { workspace, life } = taskAt(state, place.task);
  if (workspace?.token !== place.token || workspace.cleaned !== undefined || !isSettled(life)) return [];
  return [{ type: 'workspace.cleaned', task: place.task, data: cleaned }];
}

/** Where a task works from now on. */
function placedEvents(task: string, { place, recovered, handedOver }: PlaceNews): Event[] {
  return [
    ...(handedOver === undefined
      ? []
      : [{ type: 'workspace.cleaned', task: handedOver.task, data: handedOver.cleaned } as const]),
    { type: 'workspace.prepared', task, data: place },
    ...(recovered === undefined ? [] : [{ type: 'workspace.recovered', task, data: recovered } as const]),
  ];
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
