import type { EventOf } from '../model/index.ts';
import { withNews, withoutNews, withoutSession, type LastEnd, type PastAttempt } from './conversation.ts';
import type { TaskState } from './run-state.ts';
import { timesTheSame } from './in-a-row.ts';
import { withoutFinished } from './stage.ts';
import type { AgentStart, AskedCall, AttemptState } from './life.ts';

type Ended = EventOf<'attempt.ended'>['data'];

/** Fold of `attempt.started`: what the agent is to hear goes over to its attempt, which goes on in this session. */
export function beginTurn(
  task: TaskState,
  { agent }: EventOf<'attempt.started'>['data'],
): Pick<AttemptState, 'messages' | 'wasLent'> {
  if (agent === undefined) return {};
  const { messages = [], wasLent = false } = task.conversation.news ?? {};
  const { name, session: id } = agent;
  const session = id === undefined ? {} : { session: { agent: name, id } };
  task.conversation = { ...withoutNews(task.conversation), ...session };
  task.stage = withoutFinished(task.stage);
  return { ...(messages.length > 0 && { messages }), ...(wasLent && { wasLent }) };
}

/** Of the agent's program in the attempt under way. */
export function learnVersion(task: TaskState, version: string | undefined): void {
  const agent = task.life.status === 'running' ? task.life.attempt?.agent?.name : undefined;
  if (agent !== undefined && version !== undefined)
    task.conversation = { ...task.conversation, cli: { agent, version } };
}

/** Fold of `attempt.ended`, while the attempt is still known. */
export function endTurn(task: TaskState, data: Ended): void {
  const attempt = task.life.status === 'running' ? task.life.attempt : undefined;
  if (attempt === undefined) return;
  if (data.sameness !== undefined) {
    const sameness = { key: data.sameness, times: timesTheSame(task, data.sameness) };
    task.tally = { ...task.tally, sameness };
  }
  if (attempt.agent === undefined) return;
  forgetSession(task, { how: attempt.agent.how, data });
  rememberEnd(task, { past: pastOf(attempt, attempt.agent), agent: attempt.agent, data });
  if (data.outcome !== 'succeeded') returnNews(task, attempt);
}

/** One that the agent does not know any more, or never came to know. */
function forgetSession(task: TaskState, { how, data }: { how: string; data: Ended }): void {
  if (data.sessionLost === true || (data.neverBegan === true && how !== 'continue'))
    task.conversation = withoutSession(task.conversation);
}

/** What an attempt of another run has said since is not a part of this one. */
function pastOf({ id, isOfParent, upTo = 0 }: AttemptState, { name: agent }: AgentStart): PastAttempt {
  return isOfParent === true ? { id, agent, upTo } : { id, agent };
}

function rememberEnd(
  task: TaskState,
  { past, agent, data }: { past: PastAttempt; agent: AgentStart; data: Ended },
): void {
  if (data.neverBegan === true) return;
  const { outcome, reason, mayStillRun } = endToTell(task, data);
  const { sessionLost } = data;
  const before = task.conversation.lastEnd;
  const attempts = [...(before?.attempts ?? []), past];
  const originLost = before?.originLost ?? (agent.how === 'fork' && sessionLost === true);
  const lastEnd: LastEnd = {
    outcome,
    ...(reason !== undefined && { reason }),
    ...(mayStillRun === true && { mayStillRun }),
    attempts,
    ...(originLost && { originLost }),
  };
  task.conversation = { ...task.conversation, lastEnd };
}

/** One that found no session has done nothing: the end before it is what there is to tell. */
function endToTell(
  { conversation: { lastEnd } }: TaskState,
  data: Ended,
): Pick<Ended, 'outcome' | 'reason' | 'mayStillRun'> {
  return data.sessionLost === true && lastEnd !== undefined ? lastEnd : data;
}

/** Fold of `gate.decided`. */
export function allowCall(task: TaskState, call: AskedCall): void {
  const { allowed = [] } = task.conversation;
  task.conversation = { ...task.conversation, allowed: [...allowed, call] };
}

/** Fold of `gate.decided`: if it is tried again after that, it must not take what was allowed before for the answer. */
export function rememberRefusal(task: TaskState, comment: string | undefined): void {
  const { lastEnd } = task.conversation;
  if (lastEnd === undefined) return;
  const why = comment === undefined ? '' : `: ${comment}`;
  const reason = `${lastEnd.reason ?? 'it asked for something'}, and a person did not allow it${why}`;
  task.conversation = { ...task.conversation, lastEnd: { ...lastEnd, outcome: 'failed', reason } };
}

/** Whether one that did not come to its end has heard it, nobody knows: it is told again. */
function returnNews(task: TaskState, { messages, wasLent }: AttemptState): void {
  if (messages === undefined && wasLent !== true) return;
  task.conversation = withNews(task.conversation, (news) => ({
    messages: [...(messages ?? []), ...news.messages],
    wasLent: news.wasLent || wasLent === true,
  }));
}
