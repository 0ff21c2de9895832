import {
  endedText,
  type Command,
  type CommandAnswer,
  type Event,
  type InboxCommand,
  type SentCommand,
} from '../model/index.ts';
import { whyStale } from './beliefs.ts';
import { trialOf } from './breakers.ts';
import { raiseBudget } from './budgets.ts';
import { giveBack, lend, tell } from './conversation-commands.ts';
import { confirmWork } from './confirm-work.ts';
import { decideReopen, type Reopening } from './decide-reopen.ts';
import { landingWith } from './merge-queue.ts';
import { orderPlace } from './place-actions.ts';
import { scopeAt, statusOfTask, type RunState, type TaskState } from './run-state.ts';
import { setRun } from './set-run.ts';
import { accept, refuse, type Verdict } from './verdict.ts';
import { decideGate, decidedBy, gateRemedy } from './decide-gate.ts';
import { type HeldLife, isAsking, isSettled, type Life } from './life.ts';
import type { World } from './world.ts';

/** What has to be known to decide a command, besides the state. */
export interface CommandSetting {
  readonly world: World;
  /** What is wrong with the output that the command gives to a task. */
  readonly outputProblem?: string | undefined;
}

interface Decided {
  readonly events: Event[];
  readonly answer: CommandAnswer;
}

/** What a command does, and what its sender is told. Refusing is an answer too; both are journalled. */
export function decideCommand(state: RunState, asked: InboxCommand, setting: CommandSetting): Decided {
  return decided(asked, verdict(state, asked, setting));
}

/** Decides a `set`, for whoever has the run's lease: nothing else has to be known for that, so that nobody needs to drive the run. */
export function decideSet(
  state: RunState,
  asked: InboxCommand & { readonly command: Extract<SentCommand, { type: 'set' }> },
): Decided {
  return decided(asked, whyOutdated(state, asked) ?? setRun(state, asked.command));
}

function decided({ id, command }: InboxCommand, { accepted, text, events = [] }: Verdict): Decided {
  const decided: Event = {
    type: 'command.decided',
    data: { id, command: command.type, accepted, answer: text, ...decidedBy(command) },
  };
  return { events: [decided, ...events], answer: { accepted, text } };
}

function verdict(state: RunState, asked: InboxCommand, setting: CommandSetting): Verdict {
  const { id, command } = asked;
  const { status } = state.phase;
  // What is said of a run may be changed at any time.
  const isOver = status !== 'active' && status !== 'paused' && command.type !== 'set';
  if (isOver) return refuse(endedText(status));
  const outdated = whyOutdated(state, asked);
  if (outdated !== undefined) return outdated;
  const decide = verdicts[command.type] as (state: RunState, command: Command, given: Given) => Verdict;
  return decide(state, command, { ...setting, id });
}

/** Whoever asked for it did not know what the journal had lost. */
function whyOutdated(state: RunState, { at }: InboxCommand): Verdict | undefined {
  const isOutdated = at < (state.repairedAt ?? 0);
  return isOutdated ? refuse('the run has been repaired since: look at it again') : undefined;
}

interface Given extends CommandSetting {
  /** Of the command. */
  readonly id: string;
}

const verdicts: {
  readonly [Type in Command['type']]: (
    state: RunState,
    command: Extract<SentCommand, { type: Type }>,
    given: Given,
  ) => Verdict;
} = {
  pause: (state, { reason }) => pause(state, reason),
  resume,
  cancel: (state, { reason }) => cancel(state, reason),
  retry: ofTask,
  skip: ofTask,
  done: markDone,
  approve: decideGate,
  reject: decideGate,
  answer: decideGate,
  tell,
  lend,
  return: giveBack,
  place: (state, command, { id }) => orderPlace(state, command, id),
  raise: raiseBudget,
  set: setRun,
};

function pause(state: RunState, reason: string | undefined): Verdict {
  if (state.phase.status === 'paused') return refuse('the run is paused already');
  return accept(
    'paused: what is running goes on to its end; nothing new starts, not even a check or merge that would follow',
    {
      type: 'run.paused',
      data: reason === undefined ? {} : { reason },
    },
  );
}

function resume({ phase }: RunState): Verdict {
  if (phase.status !== 'paused') return refuse('the run is not paused');
  return accept('the run goes on', { type: 'run.resumed', data: {} });
}

function cancel(state: RunState, reason: string): Verdict {
  if (scopeAt(state, '').cancelling?.failFast === false) return refuse('the run is being cancelled already');
  return accept('the run is being cancelled', { type: 'cancel.requested', data: { reason } });
}

type TaskCommand = Extract<Command, { type: 'retry' | 'skip' }>;

function ofTask(state: RunState, command: TaskCommand): Verdict {
  const task = state.tasks.get(command.task);
  if (task === undefined) return refuse(`the run has no task ${command.task}`);
  const { type, also = [], seen } = command;
  const stale = whyStale(state, [command.task, ...also], seen);
  if (stale !== undefined) return refuse(stale);
  return type === 'retry' ? retry(state, task, command) : skip(state, task, command);
}

function retry(state: RunState, task: TaskState, command: TaskCommand): Verdict {
  const { address, life } = task;
  switch (life.status) {
    case 'held':
      return retryHeld(task, life);
    case 'delayed':
      if (life.waitsFor.type === 'budget') return refuse(raiseInstead(task, life.reason));
      return retryDelayed(state, task);
    case 'failed':
    case 'succeeded':
      return reopen(state, command);
    default:
      return refuse(`${address} is ${statusOfTask(task)}, not held, delayed or failed`);
  }
}

function retryHeld(task: TaskState, { waitsFor, reason }: HeldLife): Verdict {
  switch (waitsFor.type) {
    case 'session':
      return refuse(reason);
    case 'budget':
      return refuse(raiseInstead(task, reason));
    case 'gate':
      return refuse(gateRemedy(task));
    case 'action':
      return release(task);
  }
}

/** It would be lifted for ever, whatever it comes to. */
function raiseInstead({ address }: TaskState, reason: string): string {
  return `${address} waits because ${reason}: raise that by an amount (piton approve … --budget +5)`;
}

function release({ address }: TaskState): Verdict {
  return accept(`${address} will be tried again`, { type: 'task.released', task: address, data: {} });
}

function retryDelayed(state: RunState, task: TaskState): Verdict {
  const trial = trialOf(state, task);
  return trial === undefined
    ? release(task)
    : refuse(`${task.address} waits for ${trial}, which tries whether what both use works again`);
}

function reopen(state: RunState, { task, also = [], ...wish }: TaskCommand): Verdict {
  const again = [task, ...also];
  const other = again.find((address) => !hasRunOut(state.tasks.get(address)?.life.status));
  if (other !== undefined)
    return refuse(`${other} has neither failed nor succeeded, or is done again already`);
  const decided = decideReopen(state, { again, inSession: true, ...permissionOf(wish) });
  if ('refusal' in decided) return refuse(decided.refusal);
  return accept(`${again.join(', ')} will be done again`, ...decided.events);
}

function hasRunOut(status: Life['status'] | undefined): boolean {
  return status === 'failed' || status === 'succeeded';
}

function permissionOf({
  rerunSucceeded,
}: Pick<TaskCommand, 'rerunSucceeded'>): Pick<Reopening, 'rerunSucceeded'> {
  return rerunSucceeded === undefined ? {} : { rerunSucceeded };
}

function skip(state: RunState, task: TaskState, command: TaskCommand): Verdict {
  if (task.life.status === 'failed') return goOnWithout(state, command);
  if (isAsking(task.life)) return refuse(gateRemedy(task));
  if (isSettled(task.life) || task.life.status === 'running')
    return refuse(`${task.address} is ${statusOfTask(task)}`);
  const carrier = landingWith(state, task);
  if (carrier !== undefined)
    return refuse(`what ${task.address} has made is being brought in, together with ${carrier.address}`);
  const data = { reason: 'skipped by the operator' };
  return accept(`${task.address} is skipped`, { type: 'task.skipped', task: task.address, data });
}

function goOnWithout(state: RunState, { task, also = [], ...wish }: TaskCommand): Verdict {
  const skipped = [task, ...also];
  const decided = decideReopen(state, { skipped, ...permissionOf(wish) });
  if ('refusal' in decided) return refuse(decided.refusal);
  return accept(`the run goes on without ${skipped.join(', ')}`, ...decided.events);
}

/** The work of a held or failed task was done: it goes on to its check and merge, or has succeeded. */
function markDone(
  state: RunState,
  command: Extract<SentCommand, { type: 'done' }>,
  { world, outputProblem }: Given,
): Verdict {
  const { task: address, output, comment, seen } = command;
  const task = state.tasks.get(address);
  if (task === undefined) return refuse(`the run has no task ${address}`);
  const why = whyStale(state, [address], seen) ?? outputProblem;
  if (why !== undefined) return refuse(why);
  const confirmation = { comment, ...(output !== undefined && { output }), ...decidedBy(command) };
  const confirmed = confirmWork(state, task, { confirmation, world });
  if ('refusal' in confirmed) return refuse(confirmed.refusal);
  const text = `${address} counts as done`;
  if (task.life.status !== 'failed') return accept(text, ...confirmed.events);
  const reopened = decideReopen(state, { done: [address], ...permissionOf(command) });
  if ('refusal' in reopened) return refuse(reopened.refusal);
  return accept(text, ...reopened.events, ...confirmed.events);
}
