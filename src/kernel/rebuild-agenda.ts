import { Agenda } from './agenda.ts';
import { expectAnswer, expectTask } from './delay-task.ts';
import { keepHoldings } from './holdings.ts';
import { acquire } from './limits.ts';
import { type RunState, type TaskState } from './run-state.ts';
import { isOccupying } from './settle-task.ts';
import { isSettled } from './life.ts';

/** The agenda from the facts alone: after a snapshot was read, or the workflow was changed. */
export function rebuildAgenda(state: RunState): void {
  state.agenda = new Agenda();
  for (const task of state.tasks.values()) if (!isSettled(task.life)) enter(state, task);
  for (const { owner, graph } of state.scopes.values()) {
    if (graph !== undefined) state.agenda.moving.push(owner);
    state.agenda.concluded.push(owner);
  }
}

function enter(state: RunState, task: TaskState): void {
  const { agenda } = state;
  const { address, life } = task;
  if (life.status !== 'running') agenda.doomed.push(address);
  if (life.status === 'delayed') expectTask(state, address, life);
  else expectAnswer(state, task);
  if (isOccupying(task)) acquire(state, task);
  keepHoldings(state, task);
  if (task.group !== undefined) agenda.concluded.push(address);
  if (life.status === 'pending' && task.unmet === 0) agenda.undecided.push(address);
}
