import { someNames, type Json } from '../base/index.ts';
import { isAnswer, type QueuedDecision } from './queued.ts';
import type { ProblemView, ShownStatus } from './run-view.ts';
import type { QuestionView, TaskView } from './task-view.ts';

/** Something that waits for a person. */
export interface InboxItem {
  readonly run: string;
  readonly workflow: string;
  /** Absent: the run as a whole, because nobody drives it any more, nothing can be written, or its journal is damaged or has lost its end. */
  readonly task?: string;
  /** When the run changed last. */
  readonly since: number;
  /** What happened. */
  readonly reason: string;
  /** What an agent asks to do, if that is it. */
  readonly call?: { readonly tool: string; readonly input: Json };
  /** The branch or folder with what the task has made so far, to be looked at. */
  readonly evidence?: { readonly path: string; readonly branch?: string; readonly remote?: string };
  /** Of an approval or a question: give it to `run.approve`, `run.answer` and `run.reject`, which then decide this one and no later one. */
  readonly gate?: string;
  /** What is asked for, with `reason` as the text. */
  readonly question?: QuestionView;
  /** Of the run: give it as `seen` to `run.retry`, `run.skip` and `run.place`, which are refused if the task has gone on since. */
  readonly version?: number;
  /** What was decided about it already and has no effect yet: it waits for somebody who goes on with the run. */
  readonly queued?: readonly QueuedDecision[];
  /** The likeliest first. */
  readonly actions: readonly OfferedAction[];
}

/** What may be done about it, and what that does. */
export interface OfferedAction {
  /**
   * `logs`, `approve`, `answer`, `reject`, `retry`, `retry --fresh`, `done`, `skip`, `resume`, `diff`, `resolve`, `recreate`, `restore`, `adopt`, `discard`,
   * `raise-dollars`, `raise-tokens`; of a run as a whole `repair`, `verify`, `resume` or `attach`.
   */
  readonly action: string;
  /** In words. */
  readonly effect: string;
}

const effects: Readonly<Record<string, string>> = {
  approve: 'agree to it',
  answer: 'answer it',
  reject: 'refuse it; the task fails',
  retry: 'try it again',
  'retry --fresh': 'begin from scratch, in a new session and a new place',
  skip: 'go on without it',
  resume: 'go on when the session is back',
  diff: 'look at what it has made',
  resolve: 'resolve the conflict by hand',
  recreate: 'make its place again from what is committed on its branch',
  restore: 'make its place again as it was last saved',
  adopt: 'take it as it is',
  discard: 'begin from scratch; what is there is archived',
  'raise-dollars': 'raise the budget by an amount of money',
  'raise-tokens': 'raise the budget by a number of tokens',
  repair: 'go back to the last good commit; what may have run since is held',
  verify: 'look through its journal',
};

/** Of a held task in a place of its own, trying again goes on there. */
const effectsInPlaces: Readonly<Record<string, string>> = { retry: 'go on there, and try again' };

/** Of one that may have done its work: what the person has found out decides. */
const effectsIfDone: Readonly<Record<string, string>> = {
  logs: 'see what it did',
  retry: 'it did not happen: run it again',
  done: 'it did happen: count it as succeeded, after its check and merge if it has these',
};

interface RunOfItem {
  readonly run: string;
  readonly workflow: string;
  readonly since: number;
}

interface TaskOfItem extends RunOfItem {
  readonly version: number;
  /** Of all its tasks. */
  readonly queued?: readonly QueuedDecision[];
}

/** Of a task; undefined if it waits for nobody. */
export function inboxItemOf(
  { queued: all = [], ...of }: TaskOfItem,
  task: string,
  view: TaskView,
): InboxItem | undefined {
  if (view.status !== 'held') return undefined;
  const { reason = '', call, workspace, gate, question } = view;
  const queued = all.filter((decision) => decision.task === task);
  return {
    ...of,
    task,
    reason,
    ...(call !== undefined && { call }),
    ...(workspace !== undefined && workspace.cleaned === undefined && { evidence: evidenceIn(workspace) }),
    ...(gate !== undefined && { gate }),
    ...(question !== undefined && { question }),
    ...(queued.length > 0 && { queued }),
    actions: [...carriedOut(queued), ...offeredBy(view)],
  };
}

/** Deciding the same a second time would only be refused. */
function carriedOut(queued: readonly QueuedDecision[]): OfferedAction[] {
  const decided = queued.filter(isAnswer).map(({ action }) => action);
  return decided.length === 0
    ? []
    : [{ action: 'resume', effect: `go on with what was decided: ${decided.join(', ')}` }];
}

/** Of a run that should go on and does not; undefined if it goes on, or only its tasks wait for somebody. */
export function inboxItemOfStatus(of: RunOfItem, status: ShownStatus): InboxItem | undefined {
  const found = { interrupted, stalled }[status as string];
  if (found === undefined) return undefined;
  return { ...of, reason: found.reason, actions: [found.action] };
}

const interrupted = {
  reason: 'It was interrupted: its driver is gone, and nobody goes on with it.',
  action: { action: 'resume', effect: 'go on with it' },
};
const stalled = {
  reason: 'Its driver cannot write anything down: it tries again and again, and starts nothing.',
  action: { action: 'attach', effect: 'see what its driver says' },
};

/** Of a run whose journal shows nothing that could be decided on. */
export function inboxItemOfRun(of: RunOfItem, { code, message }: ProblemView): InboxItem {
  const isRepairable = code === 'RUN_DAMAGED' || code === 'RUN_BEHIND';
  return { ...of, reason: message, actions: [offered(isRepairable ? 'repair' : 'verify', effects)] };
}

function evidenceIn({
  path,
  branch,
  remote,
}: NonNullable<TaskView['workspace']>): InboxItem['evidence'] & object {
  return { path, ...(branch !== undefined && { branch }), ...(remote !== undefined && { remote }) };
}

/**
 * What may be done about a held task, the likeliest first. One that waits for its session goes on by itself, if somebody drives
 * the run. What can be taken as it is, is looked at first: whoever does what is offered must not agree to it unseen.
 */
export function actionsFor({ actions = [], lent }: Pick<TaskView, 'actions' | 'lent'>): readonly string[] {
  if (lent !== undefined) return ['resume', ...actions];
  if (actions.includes('done')) return ['logs', ...actions];
  return actions[0] === 'adopt' ? ['diff', ...actions] : actions;
}

function offeredBy(view: TaskView): OfferedAction[] {
  const given = actionsFor(view);
  const isFreshOffered = canBeginAnew(view) && !given.includes('discard');
  const actions = given.flatMap((action) =>
    action === 'retry' && isFreshOffered ? [action, 'retry --fresh'] : [action],
  );
  const texts = {
    ...effects,
    ...(actions.includes('recreate') && effectsInPlaces),
    ...(actions.includes('done') && effectsIfDone),
    ...skipEffect(view),
  };
  return actions.map((action) => offered(action, texts));
}

/** Who skips a task should know what else that skips. */
function skipEffect({ skips = [] }: TaskView): Readonly<Record<string, string>> {
  if (skips.length === 0) return {};
  return { skip: `go on without it, and without what needs it: ${someNames(skips, 10)}` };
}

/** It has a conversation or a place of its own, in which it would otherwise go on. */
function canBeginAnew({ session, workspace }: TaskView): boolean {
  return session !== undefined || workspace !== undefined;
}

function offered(action: string, texts: Readonly<Record<string, string>>): OfferedAction {
  return { action, effect: texts[action] ?? action };
}
