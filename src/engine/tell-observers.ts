import type { JsonObject } from '../base/index.ts';
import { scopeAt, taskAt, type RunState } from '../kernel/index.ts';
import type { Event, EventOf } from '../model/index.ts';
import type { Observers, RunEvent } from './observers.ts';

/** The state each visit of a node under way began with, by address. */
export type NodeStates = Map<string, JsonObject>;

/** Tells what was just committed, fact by fact, then the checkpoint itself. */
export function tellCommitted(
  state: RunState,
  events: readonly Event[],
  { observers, nodeStates }: { observers: Observers; nodeStates: NodeStates },
): void {
  if (observers.isEmpty) return;
  const { run, seq, at } = state;
  for (const event of events) {
    observers.tell({ ...event, run, seq, at } as RunEvent);
    if (event.type === 'edge.taken') tellCycle(state, event, observers);
    else if (event.type === 'attempt.started') tellEntered(state, event.task, { observers, nodeStates });
    else if (event.type === 'task.succeeded') tellLeft(state, event.task, { observers, nodeStates });
  }
  observers.tell({ type: 'checkpoint.saved', run, seq, at });
}

function tellCycle(state: RunState, { task, data }: EventOf<'edge.taken'>, observers: Observers): void {
  const visit = scopeAt(state, task ?? '').graph!.visits.get(data.to) ?? 0;
  if (visit > 1)
    observers.tell({ type: 'cycle.entered', run: state.run, at: state.at, node: data.to, visit });
}

interface Told {
  readonly observers: Observers;
  readonly nodeStates: NodeStates;
}

function tellEntered(state: RunState, task: string, { observers, nodeStates }: Told): void {
  const { graph } = scopeAt(state, taskAt(state, task).scope);
  if (graph === undefined || nodeStates.has(task)) return;
  nodeStates.set(task, graph.state);
  observers.tell({ type: 'node.entered', run: state.run, at: state.at, task, before: graph.state });
}

function tellLeft(state: RunState, task: string, { observers, nodeStates }: Told): void {
  const before = nodeStates.get(task);
  if (before === undefined) return;
  nodeStates.delete(task);
  const { graph } = scopeAt(state, taskAt(state, task).scope);
  observers.tell({ type: 'node.left', run: state.run, at: state.at, task, before, after: graph!.state });
}
