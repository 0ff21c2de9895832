import { agentResource } from './breakers.ts';
import type { AskedCall, DelayedLife, Gate, HeldLife, Question } from './life.ts';
import { isSettled } from './life.ts';
import { holdersOfLimits, limitNamed, takenLimit, type LimitKind } from './limits.ts';
import { addressOf, taskAt, type RunState, type TaskState } from './run-state.ts';

/** What a task that does not run waits for. */
export type Waiting =
  | { readonly for: 'needs'; readonly tasks: readonly string[] }
  /** The run is paused. */
  | { readonly for: 'resume'; readonly reason?: string }
  /** So many are at work already: among others those in `heldBy`. `name`: of a lock, or of the task that it is a limit of. */
  | {
      [Kind in LimitKind]: { readonly for: Kind; readonly name?: string; readonly heldBy: readonly string[] };
    }[LimitKind]
  /** A retry, or whatever else the reason says. */
  | { readonly for: 'time'; readonly until: number; readonly reason: string }
  /** All agents that may do it are at their usage limit, or out of order. */
  | {
      readonly for: 'agents';
      readonly agents: readonly string[];
      readonly until: number;
      readonly reason: string;
    }
  /** A breaker is open; `triedBy`: the task that tries whether it may be closed. */
  | {
      readonly for: 'resource';
      readonly resource: string;
      readonly until: number;
      readonly reason: string;
      readonly triedBy?: string;
    }
  /** `until`: the end of the day whose budget is used up. Else a person raises it. */
  | { readonly for: 'budget'; readonly reason: string; readonly until?: number; readonly day?: string }
  | { readonly for: 'approval'; readonly gate: string; readonly text: string; readonly call?: AskedCall }
  /** A person is asked a question. */
  | { readonly for: 'answer'; readonly gate: string; readonly text: string; readonly question: Question }
  /** A person has the conversation that it would go on in. */
  | { readonly for: 'session'; readonly session: string; readonly reason: string }
  | { readonly for: 'person'; readonly reason: string; readonly actions: readonly string[] };

/**
 * Tells of each task of a state what it waits for. Undefined: it runs, has settled, or starts as soon as somebody drives the run.
 * One look at all tasks is enough for all of them.
 */
export function whyWaiting(state: RunState): (task: TaskState) => Waiting | undefined {
  let holders: ReadonlyMap<string, readonly string[]> | undefined;
  const holdersOf = (limit: string): readonly string[] =>
    (holders ??= holdersOfLimits(state)).get(limit)?.slice(0, mostHolders) ?? [];
  return (task) => waitingOf(state, task, holdersOf);
}

/** More would say no more. */
const mostHolders = 5;

type HoldersOf = (limit: string) => readonly string[];

function waitingOf(state: RunState, task: TaskState, holdersOf: HoldersOf): Waiting | undefined {
  const { life } = task;
  switch (life.status) {
    case 'held':
      return forPerson(life);
    case 'delayed':
      return forTime(state, task, life);
    case 'running':
      return life.attempt?.asks && atGate(life.attempt.asks);
    case 'pending':
      return forNeeds(state, task) ?? forResume(state) ?? forLimit(state, task, holdersOf);
    default:
      return undefined;
  }
}

function atGate({ gate, text, call, question }: Gate): Waiting {
  if (question !== undefined) return { for: 'answer', gate, text, question };
  return { for: 'approval', gate, text, ...(call !== undefined && { call }) };
}

function forPerson({ waitsFor, reason, actions }: HeldLife): Waiting {
  switch (waitsFor.type) {
    case 'gate':
      return atGate({ ...waitsFor, text: reason });
    case 'budget':
      return { for: 'budget', reason };
    case 'session':
      return { for: 'session', session: waitsFor.session, reason };
    case 'action':
      return { for: 'person', reason, actions };
  }
}

function forTime(state: RunState, task: TaskState, { until, reason, waitsFor }: DelayedLife): Waiting {
  switch (waitsFor.type) {
    case 'budget':
      return { for: 'budget', reason, until, ...(waitsFor.day !== undefined && { day: waitsFor.day }) };
    case 'resource': {
      const { resource } = waitsFor;
      const triedBy = state.breakers.get(resource)?.open?.trial;
      return { for: 'resource', resource, until, reason, ...(triedBy !== undefined && { triedBy }) };
    }
    case 'time': {
      const agents = agentsUntil(state, task, until);
      return agents.length > 0 ? { for: 'agents', agents, until, reason } : { for: 'time', until, reason };
    }
  }
}

/** The agents of the task that may be asked again no earlier than it is tried again. */
function agentsUntil({ breakers }: RunState, { spec: { work } }: TaskState, until: number): string[] {
  if (work.type !== 'agent') return [];
  const opens = work.agents.map((agent) => breakers.get(agentResource(agent))?.open?.until ?? 0);
  return opens.includes(until) ? work.agents.filter((_, index) => opens[index]! >= until) : [];
}

function forNeeds(state: RunState, { unmet, scope, spec }: TaskState): Waiting | undefined {
  if (unmet === 0) return undefined;
  const needs = spec.needs.map((need) => taskAt(state, addressOf(scope, need)));
  return { for: 'needs', tasks: needs.filter(({ life }) => !isSettled(life)).map(({ address }) => address) };
}

function forResume({ phase }: RunState): Waiting | undefined {
  if (phase.status !== 'paused') return undefined;
  return { for: 'resume', ...(phase.reason !== undefined && { reason: phase.reason }) };
}

function forLimit(state: RunState, task: TaskState, holdersOf: HoldersOf): Waiting | undefined {
  const taken = takenLimit(state, task);
  if (taken === undefined) return undefined;
  const { kind, name } = limitNamed(taken);
  return { for: kind, ...(name !== undefined && { name }), heldBy: holdersOf(taken) };
}
