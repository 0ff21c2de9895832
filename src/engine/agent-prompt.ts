import { someNames } from '../base/index.ts';
import {
  conflictOf,
  isConflicting,
  reportOf,
  type AgentStart,
  type AskedCall,
  type Conversation,
  type TaskState,
} from '../kernel/index.ts';
import { describeCall, hasNothing, type Account } from './agent-account.ts';

const longestPart = 1_500;
const mostCalls = 20;

/** What an attempt begins with. */
export interface PromptGiven {
  /** As the workflow has it. */
  readonly prompt: string;
  readonly task: TaskState;
  readonly start: AgentStart;
  /** The command that checks the work, as a person would type it. */
  readonly check?: string;
  /** Files of its place that differ from those it began with, if that is known. */
  readonly changed?: readonly string[];
  /** What was done so far; absent where it is not told. */
  readonly account?: Account;
  /** The last attempt ended before its agent said or did anything. */
  readonly isUnheard?: boolean;
  /** The same of the tasks whose conversation it was to go on in. */
  readonly origin?: Account;
}

/** Which accounts `promptOf` tells of: reading them takes long. */
export function recalls({ conversation: { lastEnd } }: TaskState, { rung, how }: AgentStart) {
  if (rung === undefined) return { account: false, origin: false };
  if (lastEnd === undefined) return { account: false, origin: rung === 'transcript' };
  if (rung !== 'session') return { account: true, origin: how === 'new' };
  return { account: lastEnd.outcome !== 'succeeded' && lastEnd.outcome !== 'asked', origin: false };
}

/**
 * What the agent is told: the task, or how to go on with it. One that goes on is told what it did: not every agent
 * remembers a call that was cut off.
 */
export function promptOf(given: PromptGiven): string {
  const { prompt, task, start, check } = given;
  const lastEnd = endToTell(given);
  const parts =
    lastEnd === undefined || start.rung === undefined || hasNotBegun(given, lastEnd)
      ? [...(lastEnd === undefined ? originOf(given.origin ?? nothing) : []), prompt, ...checkNote(check)]
      : start.rung === 'session'
        ? inOwnSession(given, lastEnd)
        : inNewSession(given, lastEnd);
  return [...parts, ...newsOf(task)].join('\n');
}

type LastEnd = NonNullable<Conversation['lastEnd']>;

/** A revision that its agent never came to hear of interrupted nothing: what it did before that was done. */
function endToTell({ task, isUnheard }: PromptGiven): LastEnd | undefined {
  const { lastEnd } = task.conversation;
  if (lastEnd === undefined || isUnheard !== true || reportOf(task.stage) === undefined) return lastEnd;
  return { outcome: 'succeeded', attempts: lastEnd.attempts };
}

/** Whatever ended it, there is nothing to go on with: it is as if it were asked for the first time. */
function hasNotBegun(
  { task, start, account = nothing, origin = nothing }: PromptGiven,
  { outcome }: LastEnd,
): boolean {
  const isMidway = reportOf(task.stage) !== undefined || task.conversation.allowed !== undefined;
  if (isMidway || !['interrupted', 'delayed', 'failed'].includes(outcome)) return false;
  const isStranger = start.rung === 'transcript' && start.how === 'new';
  return hasNothing(account) && !(isStranger && !hasNothing(origin));
}

function checkNote(check: string | undefined): string[] {
  return check === undefined ? [] : [`\nWhen you say that you are done, your work is checked by: ${check}`];
}

function inOwnSession(given: PromptGiven, lastEnd: LastEnd): string[] {
  const { task, check } = given;
  if (reportOf(task.stage) !== undefined && lastEnd.outcome === 'succeeded') return revisionOf(task, check);
  if (lastEnd.outcome === 'succeeded') return wasTold(task) ? [] : againOf(given);
  if (lastEnd.outcome === 'asked') return allowedOf(task);
  const { account = nothing } = given;
  return [
    ...accountOf(account, causeOf(task, lastEnd)),
    ...standOf(given, lastEnd),
    ...permissionsOf(task),
    ...(reportOf(task.stage) === undefined ? [] : revisionOf(task, check)),
    // Killed early, an agent may not have written down what it was asked.
    ...(hasNothing({ ...account, unclear: [] }) ? ['The task:', given.prompt] : []),
  ];
}

/** It was done, and a person wants it done again. */
function againOf({ prompt, check }: PromptGiven): string[] {
  return [
    'You have done this task, and it is to be done again. Files may have changed since: look before you rely on what you remember.',
    'The task:',
    prompt,
    ...checkNote(check),
  ];
}

function inNewSession(given: PromptGiven, lastEnd: LastEnd): string[] {
  const { task, prompt, check } = given;
  // In a copy of that conversation it is known.
  const { account = nothing, origin = nothing } = given;
  const isFirst = !hasNothing(origin) && hasNothing(account);
  return [
    ...originOf(origin),
    ...(isFirst
      ? []
      : [...accountOf(account, strangeCause(lastEnd)), ...saidOf(account), ...standOf(given, lastEnd)]),
    ...permissionsOf(task),
    ...(reportOf(task.stage) === undefined ? [] : revisionOf(task, check)),
    'The task:',
    prompt,
    ...checkNote(check),
  ];
}

const nothing: Account = { messages: [], completed: [], inFlight: [], unclear: [] };

/** What it would remember, if the conversation that it was to go on in could still be opened. */
function originOf(origin: Account): string[] {
  if (hasNothing(origin)) return [];
  const cause =
    'You were to go on in an earlier conversation, which cannot be opened any more. What you did there:';
  return [...accountOf(origin, cause), ...saidOf(origin), lookAgain, 'Now comes another task.'];
}

function saidOf({ messages }: Account): string[] {
  if (messages.length === 0) return [];
  return ['What you had said so far:', ...messages.slice(-5).map((text) => text.slice(0, longestPart))];
}

function causeOf({ stage }: TaskState, { outcome, reason }: LastEnd): string {
  const why = reason === undefined ? '' : ` (${reason})`;
  const doing = reportOf(stage) === undefined ? 'working on this task' : 'revising your work';
  if (outcome === 'failed') {
    return `You were ${doing}, and it does not count as done${why}. Continue from where you were, and fix what you can of that; do not start over.`;
  }
  return `You were ${doing} and were interrupted${why}. Continue from where you were; do not start over.`;
}

/** Of one that has no memory of it: it must not be told to go on from where it was. */
function strangeCause({ outcome, reason }: LastEnd): string {
  const why = reason === undefined ? '' : ` (${reason})`;
  const end =
    outcome === 'failed'
      ? `What came of it did not count${why}: put that right.`
      : outcome === 'succeeded'
        ? 'It was done there.'
        : `It was interrupted there${why}.`;
  return `This task was begun in another conversation, which you do not have. ${end} What is done already need not be done again.`;
}

const lookAgain = 'Files may have changed since: look before you rely on what you remember.';
const mostFiles = 50;

/** How everything stands now. */
function standOf({ changed }: PromptGiven, { outcome, mayStillRun }: LastEnd): string[] {
  const wasCut = outcome === 'interrupted' || outcome === 'delayed';
  return [
    ...(wasCut && mayStillRun !== true
      ? ['Processes that your tools had left running have been ended: what you need, start again.']
      : []),
    ...(changed === undefined ? [] : [changedText(changed)]),
    lookAgain,
  ];
}

/** Names are quoted: they may hold anything. */
function changedText(changed: readonly string[]): string {
  if (changed.length === 0) return 'No file of the working folder differs from when the task began.';
  const names = changed.map((name) => JSON.stringify(name));
  return `Files that differ from when the task began, as git sees it: ${someNames(names, mostFiles)}`;
}

function accountOf({ completed, inFlight, unclear }: Account, cause: string): string[] {
  return [
    cause,
    ...(unclear.length === 0
      ? []
      : [
          'What you did last could not be read: there may be tool calls that are not listed here. Check what took effect before you do anything again.',
        ]),
    ...(completed.length === 0
      ? []
      : [
          `Completed tool calls${completed.length > mostCalls ? ` (the last ${mostCalls} of ${completed.length})` : ''}:`,
          ...completed.slice(-mostCalls).map((call) => `- ${describeCall(call)}`),
        ]),
    ...inFlight.map(
      (call) =>
        `In flight when you were interrupted: ${describeCall(call)}\nWhether that took effect is not known: check before you do it again.`,
    ),
  ];
}

function revisionOf({ stage }: TaskState, check: string | undefined): string[] {
  const report = reportOf(stage) ?? '';
  const { files = [] } = conflictOf(stage) ?? {};
  if (isConflicting(stage))
    return [`Your work conflicts with what others have made in the meantime${inFiles(files)}.`, report];
  const by = check === undefined ? '' : ` by: ${check}`;
  return [
    `Your work was checked${by}`,
    'The check did not pass. What it said:',
    report,
    ...(files.length === 0
      ? []
      : [`The merge conflict${inFiles(files)} has to be resolved too: no conflict marker may be left.`]),
    'Fix your work so that the check passes; do not weaken the check.',
  ];
}

function inFiles(files: readonly string[]): string {
  return files.length === 0 ? '' : ` in ${someNames(files.map((file) => JSON.stringify(file)))}`;
}

function allowedOf({ conversation: { allowed = [] } }: TaskState): string[] {
  const last = allowed.at(-1);
  if (last === undefined) return ['Go on with the task.'];
  return [
    `A person has allowed what you asked for: ${describeCall(callOf(last))}. Do it now, and go on with the task.`,
  ];
}

/** One that was cut off may not have heard of it. */
function permissionsOf({ conversation: { allowed = [] } }: TaskState): string[] {
  return allowed.map(
    (call) => `A person has allowed what you asked for before: ${describeCall(callOf(call))}.`,
  );
}

function callOf({ tool, input }: AskedCall): { readonly name: string; readonly input: AskedCall['input'] } {
  return { name: tool, input };
}

/** What has come from people since. */
function newsOf({ life }: TaskState): string[] {
  const attempt = life.status === 'running' ? life.attempt : undefined;
  const { messages = [], wasLent = false } = attempt ?? {};
  return [
    ...(wasLent
      ? [
          'A person has been in this conversation since, and may have changed files: what was agreed there holds.',
        ]
      : []),
    ...messages.flatMap((text) => ['A person who watches over this work says:', text]),
  ];
}

/** Then that is what it goes on for. */
function wasTold({ life }: TaskState): boolean {
  return life.status === 'running' && life.attempt?.messages !== undefined;
}
