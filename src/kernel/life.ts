import type { Json, ProcessIdentity } from '../base/index.ts';
import type { EventOf, Failure } from '../model/index.ts';

/** What happens to a task now: its status, with all that belongs to it. */
export type Life =
  | { readonly status: 'pending' }
  | { readonly status: 'running'; readonly attempt?: AttemptState }
  | DelayedLife
  | HeldLife
  | { readonly status: 'succeeded'; readonly output?: Json }
  | { readonly status: 'failed'; readonly failure: Failure }
  | { readonly status: 'skipped'; readonly reason: string }
  | { readonly status: 'cancelled'; readonly reason: string };

export interface AttemptState {
  readonly id: string;
  readonly number: number;
  /** Absent: it does the work. */
  readonly kind?: 'setup' | 'check' | 'revision' | 'integrate' | 'verify';
  readonly startedAt: number;
  /** Who began it, or was about to; not known of those that an older version began. */
  readonly driver?: ProcessIdentity | undefined;
  /** Of an outside process. */
  readonly process?: ProcessIdentity;
  /** How a new driver came by it. */
  readonly recovered?: 'adopted' | 'harvested';
  /** Of an agent: which, and in which conversation. */
  readonly agent?: AgentStart;
  /** So much of its stream, in bytes, is in the journal. */
  readonly upTo?: number;
  /** It is an attempt of the run that this one was forked from, and goes on there. */
  readonly isOfParent?: true;
  /** What it was told by people. */
  readonly messages?: readonly string[];
  /** A person was in its conversation before. */
  readonly wasLent?: boolean;
  /** It was begun before, which the journal had lost. */
  readonly isSpooled?: boolean;
  /** What its function asks a person, and waits to be told. */
  readonly asks?: Gate;
}

/** Where a person decides. */
export interface Gate {
  readonly gate: string;
  readonly text: string;
  /** What an agent asks to do. */
  readonly call?: AskedCall;
  /** What is asked for, if that is more than a yes. */
  readonly question?: Question;
}

export type AgentStart = NonNullable<EventOf<'attempt.started'>['data']['agent']>;

export interface HeldLife {
  readonly status: 'held';
  readonly reason: string;
  readonly actions: readonly string[];
  readonly waitsFor: PersonsTurn;
}

export interface DelayedLife {
  readonly status: 'delayed';
  readonly until: number;
  readonly reason: string;
  readonly waitsFor: DueTime;
}

/** What a person has to do before a held task goes on. */
export type PersonsTurn =
  /** One of the actions. */
  | { readonly type: 'action' }
  /** To decide at a gate. */
  | ({ readonly type: 'gate' } & Omit<Gate, 'text'>)
  /** To raise the budget that it would exceed. */
  | { readonly type: 'budget' }
  /** To give the session back. */
  | { readonly type: 'session'; readonly session: string };

/** What a delayed task waits for until its time has come. */
export type DueTime =
  | { readonly type: 'time' }
  /** The breaker of a resource. */
  | { readonly type: 'resource'; readonly resource: string }
  /** The next day, since the budget of this one is used up. Old journals do not say which day. */
  | { readonly type: 'budget'; readonly day?: string };

/** What a person may do about a task of which nobody knows whether it took effect. */
export const actionsIfMaybeDone: readonly string[] = ['retry', 'done', 'skip'];

export function heldAsMaybeDone(reason: string): HeldLife {
  return { status: 'held', reason, actions: actionsIfMaybeDone, waitsFor: { type: 'action' } };
}

export function personsTurn({ budget, lent }: EventOf<'task.held'>['data']): PersonsTurn {
  if (lent !== undefined) return { type: 'session', session: lent };
  return budget === true ? { type: 'budget' } : { type: 'action' };
}

export function dueTime({ resource, budget, day }: EventOf<'task.delayed'>['data']): DueTime {
  if (resource !== undefined) return { type: 'resource', resource };
  if (budget !== true) return { type: 'time' };
  return day === undefined ? { type: 'budget' } : { type: 'budget', day };
}

export type AskedCall = NonNullable<EventOf<'gate.opened'>['data']['call']>;
export type Question = NonNullable<EventOf<'gate.opened'>['data']['question']>;

export function isSettled(life: Life): boolean {
  return (
    life.status === 'succeeded' ||
    life.status === 'failed' ||
    life.status === 'skipped' ||
    life.status === 'cancelled'
  );
}

/** Where a person is to decide about it, if one is. */
export function gateOf(life: Life): Gate | undefined {
  if (life.status === 'running') return life.attempt?.asks;
  if (life.status !== 'held' || life.waitsFor.type !== 'gate') return undefined;
  const { type: _, ...gate } = life.waitsFor;
  return { ...gate, text: life.reason };
}

/** Its function runs, and waits for the answer of a person. */
export function isAsking(life: Life): boolean {
  return life.status === 'running' && life.attempt?.asks !== undefined;
}

/** When something is to be done about it, whatever happens: it is tried again, or an answer is overdue. */
export function dueAt(life: Life): number | undefined {
  return life.status === 'delayed' ? life.until : gateOf(life)?.question?.until;
}

/** The session that it waits for. */
export function awaitedSession(life: Life): string | undefined {
  return life.status === 'held' && life.waitsFor.type === 'session' ? life.waitsFor.session : undefined;
}

/** The resource whose breaker it waits for. */
export function awaitedResource(life: Life): string | undefined {
  return life.status === 'delayed' && life.waitsFor.type === 'resource' ? life.waitsFor.resource : undefined;
}

export function waitsForBudget(life: Life): boolean {
  return 'waitsFor' in life && life.waitsFor.type === 'budget';
}
