import type { Command, CommandAnswer, Event, InboxCommand } from '../model/index.ts';
import { isSettled, scopeAt, statusOfTask, type RunState, type TaskState } from './run-state.ts';

/** What a command does, and what its sender is told. Refusing is an answer too; both are journalled. */
export function decideCommand(
  state: RunState,
  { id, command }: InboxCommand,
): { events: Event[]; answer: CommandAnswer } {
  const { accepted, text, events = [] } = verdict(state, command);
  const decided: Event = {
    type: 'command.decided',
    data: { id, command: command.type, accepted, answer: text },
  };
  return { events: [decided, ...events], answer: { accepted, text } };
}

interface Verdict {
  readonly accepted: boolean;
  readonly text: string;
  readonly events?: readonly Event[];
}

function verdict(state: RunState, command: Command): Verdict {
  const { status } = state.phase;
  if (status !== 'active' && status !== 'paused') return refuse(`the run has ended: ${status}`);
  switch (command.type) {
    case 'pause':
      return pause(state, command.reason);
    case 'resume':
      return status === 'paused'
        ? accept('the run goes on', { type: 'run.resumed', data: {} })
        : refuse('the run is not paused');
    case 'cancel':
      return cancel(state, command.reason);
    case 'retry':
    case 'skip':
      return ofTask(state, command);
  }
}

function pause(state: RunState, reason: string | undefined): Verdict {
  if (state.phase.status === 'paused') return refuse('the run is paused already');
  return accept('paused: what runs may end, nothing new starts', {
    type: 'run.paused',
    data: reason === undefined ? {} : { reason },
  });
}

function cancel(state: RunState, reason: string): Verdict {
  if (scopeAt(state, '').cancelling?.failFast === false) return refuse('the run is being cancelled already');
  return accept('the run is being cancelled', { type: 'cancel.requested', data: { reason } });
}

function ofTask(state: RunState, command: Extract<Command, { type: 'retry' | 'skip' }>): Verdict {
  const task = state.tasks.get(command.task);
  if (task === undefined) return refuse(`the run has no task ${command.task}`);
  if (command.attempt !== undefined && command.attempt !== task.lastAttempt) {
    return refuse(`${command.task} has had another attempt since`);
  }
  return command.type === 'retry' ? retry(task) : skip(task);
}

function retry(task: TaskState): Verdict {
  if (task.life.status !== 'held') return refuse(`${task.address} is ${statusOfTask(task)}, not held`);
  return accept(`${task.address} will be tried again`, {
    type: 'task.released',
    task: task.address,
    data: {},
  });
}

function skip(task: TaskState): Verdict {
  if (isSettled(task.life) || task.life.status === 'running')
    return refuse(`${task.address} is ${statusOfTask(task)}`);
  const data = { reason: 'skipped by the operator' };
  return accept(`${task.address} is skipped`, { type: 'task.skipped', task: task.address, data });
}

function accept(text: string, ...events: Event[]): Verdict {
  return { accepted: true, text, events };
}

function refuse(text: string): Verdict {
  return { accepted: false, text };
}
