import { setKey } from '../base/index.ts';
import type { EventOf, EventType } from '../model/index.ts';
import { noteProgress } from './beliefs.ts';
import { withNews } from './conversation.ts';
import { dropProposal } from './holdings.ts';
import { taskAt, type RunState, type TaskState } from './run-state.ts';
import { setLife } from './settle-task.ts';
import { conflictOf, finishedOf, revisedConflict } from './stage.ts';
import { awaitedSession } from './life.ts';

/** What comes in the middle of a task: its conversation and its checks. */
type TurnEvent =
  | 'work.finished'
  | 'work.confirmed'
  | 'check.passed'
  | 'check.failed'
  | 'message.added'
  | 'session.lent'
  | 'session.returned';

type TurnFolders = {
  readonly [Type in Extract<EventType, TurnEvent>]: (state: RunState, event: EventOf<Type>) => void;
};

export const turnFolders: TurnFolders = {
  'work.finished'(state, { task: address, data }) {
    const task = taskAt(state, address);
    const finished = { ...data, ...(task.lastAttempt !== undefined && { by: task.lastAttempt }) };
    const name = task.spec.check === undefined ? 'integrate' : 'check';
    task.stage = { name, finished, ...revisedConflict(task.stage) };
    state.agenda.continued.push(address);
  },
  'work.confirmed'(state, { task: address }) {
    const task = taskAt(state, address);
    noteProgress(state, task);
    // It is neither asked whether it may begin nor whether its condition holds: it has been done.
    task.approved = true;
    decideAnew(state, task);
  },
  'check.passed'(state, { task: address }) {
    const task = taskAt(state, address);
    const conflict = conflictOf(task.stage);
    const finished = finishedOf(task.stage) ?? {};
    task.stage = { name: 'integrate', finished, ...(conflict !== undefined && { conflict }) };
    state.agenda.continued.push(address);
  },
  'check.failed'(state, { task: address, data }) {
    const task = taskAt(state, address);
    dropProposal(state, task);
    task.stage = { name: 'revise', report: data.report, ...revisedConflict(task.stage) };
    const { failures } = task.tally;
    const isFailure = data.revision === 0;
    task.tally = { ...task.tally, revisions: data.revision, failures: isFailure ? failures + 1 : failures };
    state.agenda.continued.push(address);
  },
  'message.added'(state, { task: address, data }) {
    const task = taskAt(state, address);
    task.conversation = withNews(task.conversation, ({ messages, isUrgent }) => ({
      messages: [...messages, data.text],
      isUrgent: isUrgent || data.now === true,
    }));
  },
  'session.lent'(state, { task, data: { session, from, ...holder } }) {
    setKey(state.lent, session, { task, at: from, ...holder });
  },
  'session.returned'(state, { task: address, data: { session } }) {
    delete state.lent[session];
    const owner = taskAt(state, address);
    owner.conversation = withNews(owner.conversation, () => ({ wasLent: true }));
    for (const task of state.tasks.values()) {
      if (awaitedSession(task.life) === session) decideAnew(state, task);
    }
  },
};

/** It is up for a decision again. */
export function decideAnew(state: RunState, task: TaskState): void {
  setLife(state, task, { status: 'pending' });
  if (task.unmet === 0) state.agenda.undecided.push(task.address);
}
