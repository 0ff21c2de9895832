import type { Command, CommandAnswer, Event, InboxCommand, Sender, SentCommand } from '../model/index.ts';
import { whyStale } from './beliefs.ts';
import { trialOf } from './breakers.ts';
import { raiseBudget } from './budgets.ts';
import { giveBack, lend, tell } from './conversation-commands.ts';
import { decideReopen } from './decide-reopen.ts';
import { landingWith } from './merge-queue.ts';
import { orderPlace } from './place-actions.ts';
import { scopeAt, statusOfTask, type RunState, type TaskState } from './run-state.ts';
import { accept, refuse, type Verdict } from './verdict.ts';
import { gateOf, type HeldLife, isSettled } from './life.ts';

/** What a command does, and what its sender is told. Refusing is an answer too; both are journalled. */
export function decideCommand(
  state: RunState,
  asked: InboxCommand,
): { events: Event[]; answer: CommandAnswer } {
  const { id, command } = asked;
  const { accepted, text, events = [] } = verdict(state, asked);
  const decided: Event = {
    type: 'command.decided',
    data: { id, command: command.type, accepted, answer: text, ...decidedBy(command) },
  };
  return { events: [decided, ...events], answer: { accepted, text } };
}

function decidedBy({ sender }: SentCommand): { readonly by?: Sender } {
  return sender === undefined ? {} : { by: sender };
}

function verdict(state: RunState, { id, at, command }: InboxCommand): Verdict {
  const { status } = state.phase;
  if (status !== 'active' && status !== 'paused') return refuse(`the run has ended: ${status}`);
  // Whoever asked for it did not know what the journal had lost.
  if (at < (state.repairedAt ?? 0)) return refuse('the run has been repaired since: look at it again');
  const decide = verdicts[command.type] as (state: RunState, command: Command, id: string) => Verdict;
  return decide(state, command, id);
}

const verdicts: {
  readonly [Type in Command['type']]: (
    state: RunState,
    command: Extract<Command, { type: Type }>,
    id: string,
  ) => Verdict;
} = {
  pause: (state, { reason }) => pause(state, reason),
  resume,
  cancel: (state, { reason }) => cancel(state, reason),
  retry: ofTask,
  skip: ofTask,
  approve: decideGate,
  reject: decideGate,
  tell,
  lend,
  return: giveBack,
  place: orderPlace,
  raise: raiseBudget,
};

function pause(state: RunState, reason: string | undefined): Verdict {
  if (state.phase.status === 'paused') return refuse('the run is paused already');
  return accept('paused: what runs may end, nothing new starts', {
    type: 'run.paused',
    data: reason === undefined ? {} : { reason },
  });
}

function resume({ phase }: RunState): Verdict {
  if (phase.status !== 'paused') return refuse('the run is not paused');
  return accept('the run goes on', { type: 'run.resumed', data: {} });
}

function cancel(state: RunState, reason: string): Verdict {
  if (scopeAt(state, '').cancelling?.failFast === false) return refuse('the run is being cancelled already');
  return accept('the run is being cancelled', { type: 'cancel.requested', data: { reason } });
}

function ofTask(state: RunState, command: Extract<Command, { type: 'retry' | 'skip' }>): Verdict {
  const task = state.tasks.get(command.task);
  if (task === undefined) return refuse(`the run has no task ${command.task}`);
  const { type, also = [], seen } = command;
  const stale = whyStale(state, [command.task, ...also], seen);
  if (stale !== undefined) return refuse(stale);
  return type === 'retry' ? retry(state, task, also) : skip(state, task, also);
}

function retry(state: RunState, task: TaskState, also: readonly string[]): Verdict {
  const { address, life } = task;
  switch (life.status) {
    case 'held':
      return retryHeld(task, life);
    case 'delayed':
      if (life.waitsFor.type === 'budget') return refuse(raiseInstead(task, life.reason));
      return retryDelayed(state, task);
    case 'failed':
      return reopen(state, [address, ...also]);
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
      return refuse(`${task.address} waits for approval: approve or reject it`);
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

function reopen(state: RunState, again: readonly string[]): Verdict {
  const other = again.find((address) => state.tasks.get(address)?.life.status !== 'failed');
  if (other !== undefined) return refuse(`${other} has not failed, or is done again already`);
  const decided = decideReopen(state, { again, inSession: true });
  if ('refusal' in decided) return refuse(decided.refusal);
  return accept(`${again.join(', ')} will be done again`, ...decided.events);
}

function decideGate(state: RunState, command: Extract<SentCommand, { type: 'approve' | 'reject' }>): Verdict {
  const { task: address, gate, comment, type } = command;
  const task = state.tasks.get(address);
  if (task === undefined) return refuse(`the run has no task ${address}`);
  const open = gateOf(task.life);
  if (open === undefined) return refuse(whyNoGate(task));
  if (open.gate !== gate) return refuse(`${address} asks something else by now: look at it again`);
  const approved = type === 'approve';
  const data = { gate, approved, ...(comment !== undefined && { comment }), ...decidedBy(command) };
  const decided: Event = { type: 'gate.decided', task: address, data };
  if (approved) return accept(`${address} is approved`, decided);
  const failure = { code: 'REJECTED', message: comment ?? 'rejected by the operator', retryable: false };
  return accept(`${address} is rejected`, decided, { type: 'task.failed', task: address, data: { failure } });
}

function whyNoGate(task: TaskState): string {
  const { address, life, approved } = task;
  if (approved) return `${address} has been approved already`;
  if (life.status === 'failed' && life.failure.code === 'REJECTED')
    return `${address} has been rejected already`;
  return `${address} waits for no approval: it is ${statusOfTask(task)}`;
}

function skip(state: RunState, task: TaskState, also: readonly string[]): Verdict {
  if (task.life.status === 'failed') return goOnWithout(state, [task.address, ...also]);
  if (isSettled(task.life) || task.life.status === 'running')
    return refuse(`${task.address} is ${statusOfTask(task)}`);
  const carrier = landingWith(state, task);
  if (carrier !== undefined)
    return refuse(`what ${task.address} has made is being brought in, together with ${carrier.address}`);
  const data = { reason: 'skipped by the operator' };
  return accept(`${task.address} is skipped`, { type: 'task.skipped', task: task.address, data });
}

function goOnWithout(state: RunState, skipped: readonly string[]): Verdict {
  const decided = decideReopen(state, { skipped });
  if ('refusal' in decided) return refuse(decided.refusal);
  return accept(`the run goes on without ${skipped.join(', ')}`, ...decided.events);
}
