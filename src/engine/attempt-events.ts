import {
  decideOutcome,
  decideQuestion,
  isSettled,
  taskAt,
  type RunState,
  type TaskState,
  type World,
} from '../kernel/index.ts';
import type { Event } from '../model/index.ts';
import type { TranscriptPart } from './agent-ports.ts';
import type { Attempt } from './attempt.ts';
import { dayOf } from './calendar.ts';
import type { Letter, News } from './letter.ts';
import type { PlaceNews } from './placing.ts';

/** What an attempt has told, as far as it was not given up meanwhile. */
export function attemptEvents(
  letter: Exclude<Extract<Letter, { attempt: Attempt }>, { type: 'left' }>,
  task: TaskState,
  { state, world }: { readonly state: RunState; readonly world: World },
): Event[] {
  switch (letter.type) {
    case 'outcome':
      return decideOutcome(state, task, { outcome: letter.outcome, world });
    case 'asks':
      return decideQuestion(task, letter.question, world);
    default:
      return newsEvents(letter, state, world.now);
  }
}

/** What is known of an attempt from now on. */
function newsEvents(news: News, state: RunState, now: number): Event[] {
  const { attempt } = news;
  switch (news.type) {
    case 'spawned': {
      const { process, version, sandbox } = news;
      const data = {
        process,
        ...(version !== undefined && { version }),
        ...(sandbox !== undefined && { sandbox }),
      };
      return [{ type: 'attempt.spawned', task: attempt.task, attempt: attempt.id, data }];
    }
    case 'recovered':
      return [
        { type: 'attempt.recovered', task: attempt.task, attempt: attempt.id, data: { how: news.how } },
      ];
    case 'placed':
      return placedEvents(attempt.task, news.news, state);
    case 'saved':
      return [{ type: 'workspace.saved', task: attempt.task, attempt: attempt.id, data: { ...news.saved } }];
    case 'transcript':
      return transcriptEvents(news, taskAt(state, attempt.task), now);
  }
}

/** What became of the place of a task that has come to its end; nothing, if it was begun again meanwhile. */
export function cleanedEvents(
  { place, cleaned }: Extract<Letter, { type: 'cleaned' }>,
  state: RunState,
): Event[] {
  const task = state.tasks.get(place.task);
  const { workspace } = task ?? {};
  if (workspace?.token !== place.token || workspace.cleaned !== undefined || !isSettled(task!.life))
    return [];
  return [{ type: 'workspace.cleaned', task: place.task, data: cleaned }];
}

/** Where a task works from now on. Who had it before may have been begun anew since, and have another place. */
function placedEvents(
  task: string,
  { place, recovered, handedOver }: PlaceNews,
  { tasks }: RunState,
): Event[] {
  const former = handedOver && tasks.get(handedOver.task)?.workspace;
  return [
    ...(former?.path !== place.path ? [] : [handedOn(handedOver!, task)]),
    { type: 'workspace.prepared', task, data: place },
    ...(recovered === undefined ? [] : [{ type: 'workspace.recovered', task, data: recovered } as const]),
  ];
}

/** The folder is there still: it must not read as if that were gone. */
function handedOn({ task, cleaned }: NonNullable<PlaceNews['handedOver']>, next: string): Event {
  const reason = `${cleaned.reason}; ${next} works there now`;
  return { type: 'workspace.cleaned', task, data: { ...cleaned, reason } };
}

/** What an agent has said; a session that it names is known from now on. */
function transcriptEvents(
  { attempt, part }: { readonly attempt: Attempt; readonly part: TranscriptPart },
  task: TaskState,
  now: number,
): Event[] {
  const place = { task: attempt.task, attempt: attempt.id };
  const { session, ...said } = part;
  const data = { ...said, ...(said.used.length > 0 && { day: dayOf(now) }) };
  const added: Event = { type: 'transcript.added', ...place, data };
  if (session === undefined) return [added];
  const { id, ...traits } = session;
  const agent = task.life.status === 'running' ? task.life.attempt!.agent!.name : '';
  return [{ type: 'session.opened', ...place, data: { agent, session: id, ...traits } }, added];
}

/** A function has asked for a checkpoint, by a name or without. */
export function namedEvents({ name }: Extract<Letter, { type: 'checkpoint' }>): Event[] {
  return name === undefined ? [] : [{ type: 'checkpoint.named', data: { name } }];
}
