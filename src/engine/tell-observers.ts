import type { JsonObject } from '../base/index.ts';
import { scopeAt, taskAt, type RunState } from '../kernel/index.ts';
import type { Event, EventOf, RunEvent } from '../model/index.ts';
import type { CheckpointCause } from './checkpoint-buffer.ts';
import type { Notice, Observers } from './observers.ts';

/** A notice without its place, which only the commit gives it. */
type Remark = Notice extends infer Kind ? (Kind extends Notice ? Omit<Kind, 'run' | 'at'> : never) : never;

/**
 * Tells observers what was committed. A commit may hold many steps of a graph, and the state that is known when it is
 * made is that after the last: so what observers are told of the others is noted when each was folded.
 */
export class Recorder {
  readonly #observers: Observers;
  /** The state that each visit of a node under way began with, by address. */
  readonly #before = new Map<string, JsonObject>();
  readonly #remarks = new Map<Event, Remark>();

  constructor(observers: Observers) {
    this.#observers = observers;
  }

  /**
   * To be called with all that one decision, or one plan, has brought, right after it was folded. While an attempt at
   * a node runs, its graph stands still: so `state` is still the one with which it began, or ended.
   */
  note(state: RunState, events: readonly Event[]): void {
    if (this.#observers.isEmpty) return clearAny(this.#before);
    const ahead = countEdges(events);
    for (const event of events) {
      const remark = this.#remarkOn(state, event, ahead);
      if (remark !== undefined) this.#remarks.set(event, remark);
    }
  }

  /** Fact by fact, each with what was noted of it, then the checkpoint itself. */
  tell(state: RunState, events: readonly Event[], cause: CheckpointCause): void {
    const { run, seq, at } = state;
    if (this.#observers.isEmpty) return clearAny(this.#remarks);
    for (const event of events) {
      this.#observers.tell({ ...event, run, seq, at } as RunEvent);
      const remark = this.#remarks.get(event);
      if (remark !== undefined) this.#observers.tell({ ...remark, run, at } as Notice);
    }
    this.#remarks.clear();
    this.#observers.tell({
      type: 'checkpoint.saved',
      run,
      seq,
      at,
      ...cause,
      next: startedIn(state, events),
    });
  }

  #remarkOn(state: RunState, event: Event, ahead: EdgeCounts): Remark | undefined {
    switch (event.type) {
      case 'edge.taken':
        return remarkOnCycle(state, event, ahead);
      case 'attempt.started':
      case 'tasks.expanded':
      case 'scope.opened':
        return this.#enter(state, event.task!);
      case 'task.succeeded':
        return this.#leave(state, event.task);
      case 'task.failed':
      case 'task.skipped':
      case 'task.cancelled':
        return void this.#before.delete(event.task);
      default:
        return undefined;
    }
  }

  /** Another attempt at the same visit does not enter it again. */
  #enter(state: RunState, task: string): Remark | undefined {
    const { graph } = scopeAt(state, taskAt(state, task).scope);
    if (graph === undefined || this.#before.has(task)) return undefined;
    this.#before.set(task, graph.state);
    return { type: 'node.entered', task, before: graph.state };
  }

  #leave(state: RunState, task: string): Remark | undefined {
    const before = this.#before.get(task);
    if (before === undefined) return undefined;
    this.#before.delete(task);
    const { graph } = scopeAt(state, taskAt(state, task).scope);
    return { type: 'node.left', task, before, after: graph!.state };
  }
}

/** Of a commit that holds several steps: those that have not come to their end in it. */
function startedIn(state: RunState, events: readonly Event[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'attempt.started') return [];
    const { life } = taskAt(state, event.task);
    return life.status === 'running' && life.attempt?.id === event.attempt ? [event.task] : [];
  });
}

/** Clearing an empty map makes a new table all the same, and mostly nobody observes. */
function clearAny(map: Map<unknown, unknown>): void {
  if (map.size > 0) map.clear();
}

/** How many edges to the same node come, by graph and node. */
type EdgeCounts = Map<string, number>;

function countEdges(events: readonly Event[]): EdgeCounts {
  const counts: EdgeCounts = new Map();
  for (const event of events) {
    if (event.type === 'edge.taken') counts.set(edgeKey(event), (counts.get(edgeKey(event)) ?? 0) + 1);
  }
  return counts;
}

function edgeKey({ task = '', data }: EventOf<'edge.taken'>): string {
  return `${task}→${data.to}`;
}

/** The state knows the visits of the edges ahead too. */
function remarkOnCycle(state: RunState, edge: EventOf<'edge.taken'>, ahead: EdgeCounts): Remark | undefined {
  const left = ahead.get(edgeKey(edge))! - 1;
  ahead.set(edgeKey(edge), left);
  const { to: node } = edge.data;
  const visit = (scopeAt(state, edge.task ?? '').graph!.visits.get(node) ?? 0) - left;
  return visit > 1 ? { type: 'cycle.entered', node, visit } : undefined;
}
