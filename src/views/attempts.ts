import type { Json } from '../base/index.ts';
import { addUsed, nothingUsed, UsageMeter } from '../kernel/index.ts';
import {
  lastWordOf,
  usageEntriesOf,
  type EventOf,
  type RunEvent,
  type Sender,
  type Used,
} from '../model/index.ts';
import { usageOf, type Usage } from './usage.ts';

/** One attempt at a task, as the journal tells it. */
export interface AttemptView {
  readonly attempt: string;
  readonly task: string;
  readonly number: number;
  /** What it is for: the work itself, or something around it. */
  readonly kind: 'work' | 'setup' | 'check' | 'revision' | 'integrate' | 'verify';
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Absent: it has not ended. */
  readonly outcome?: 'succeeded' | 'failed' | 'delayed' | 'cancelled' | 'interrupted' | 'asked';
  readonly reason?: string;
  /** It was interrupted before its process began: nothing was done. */
  readonly neverBegan?: true;
  /** How later drivers came by it. */
  readonly recovered?: readonly ('adopted' | 'harvested')[];
  readonly pid?: number;
  /** By what it was contained, or why not though it should have been; absent: it was not to be. */
  readonly sandbox?: string;
  /** Who did it, if it was a coding agent, and in which conversation. */
  readonly agent?: string;
  /** Of the agent's program, as it told it. */
  readonly version?: string;
  readonly session?: string;
  /** How it went on after an interruption: in its session, in a new one that was told what was done, or from scratch. */
  readonly rung?: 'session' | 'transcript' | 'restart';
  readonly usage?: Usage;
  /** Of an agent: its last message or tool call, in one line. */
  readonly last?: string;
}

/** What a person has decided about a task. */
export interface DecisionView {
  readonly task: string;
  readonly at: number;
  /** `done`: that its work was done, although nobody saw it end. `unanswered`: nobody did in time, and there is no default. */
  readonly decision: 'approved' | 'rejected' | 'done' | 'answered' | 'unanswered';
  readonly answer?: Json;
  /** Nobody answered in time: the answer is the default. */
  readonly isOverdue?: true;
  readonly comment?: string;
  readonly by?: Sender;
}

/** What a check has found. */
export interface CheckView {
  readonly task: string;
  readonly at: number;
  /** Which revision is to fix it; 0: none was left. */
  readonly revision: number;
  /** The task was held instead: nothing is revised before a person says so. `revision`: how many there were. */
  readonly isHeld?: boolean;
  readonly report: string;
}

type AttemptEvent = Extract<RunEvent, { readonly attempt: string }>;

/** The attempts of a run, in the order in which they began. It must be told every event, from the first on. */
export class Attempts {
  readonly #attempts = new Map<string, AttemptView>();
  readonly #usage = new AttemptUsage();

  add(event: RunEvent): void {
    this.#usage.add(event);
    if (!('attempt' in event) || event.attempt === undefined) return;
    const told = event as AttemptEvent;
    const before = this.#attempts.get(told.attempt) ?? begun(told);
    this.#attempts.set(told.attempt, { ...before, ...learned(before, told) });
  }

  get(attempt: string): AttemptView | undefined {
    const found = this.#attempts.get(attempt);
    return found && this.#withUsage(found);
  }

  /** Of one task, or of all. */
  list(task?: string): AttemptView[] {
    return [...this.#attempts.values()]
      .filter((attempt) => task === undefined || attempt.task === task)
      .map((attempt) => this.#withUsage(attempt));
  }

  #withUsage(attempt: AttemptView): AttemptView {
    const usage = usageOf(this.#usage.of(attempt.attempt));
    return usage === undefined ? attempt : { ...attempt, usage };
  }
}

function begun({ attempt, task, at }: AttemptEvent): AttemptView {
  return { attempt, task, number: 0, kind: 'work', startedAt: at };
}

function learned(before: AttemptView, event: AttemptEvent): Partial<AttemptView> {
  switch (event.type) {
    case 'attempt.started':
      return started(event.data, event.at);
    case 'session.opened':
      return opened(event.data);
    case 'attempt.spawned':
      return spawned(event.data);
    case 'attempt.recovered':
      return { recovered: [...(before.recovered ?? []), event.data.how] };
    case 'attempt.ended':
      return { endedAt: event.at, ...ended(event.data) };
    case 'transcript.added':
      return said(lastWordOf(event.data));
    // What was saved is shown elsewhere.
    default:
      return {};
  }
}

function said(last: string | undefined): Partial<AttemptView> {
  return last === undefined ? {} : { last };
}

function opened({ agent, session, version }: EventOf<'session.opened'>['data']): Partial<AttemptView> {
  return { agent, session, ...(version !== undefined && { version }) };
}

function ended({ outcome, reason, neverBegan }: EventOf<'attempt.ended'>['data']): Partial<AttemptView> {
  return {
    outcome,
    ...(reason !== undefined && { reason }),
    ...(neverBegan === true && { neverBegan }),
  };
}

function started(
  { number, kind, agent, begunAt }: EventOf<'attempt.started'>['data'],
  at: number,
): Partial<AttemptView> {
  return { number, kind: kind ?? 'work', startedAt: begunAt ?? at, ...agentIn(agent) };
}

function agentIn(agent: EventOf<'attempt.started'>['data']['agent']): Partial<AttemptView> {
  if (agent === undefined) return {};
  const { name, session, rung } = agent;
  return { agent: name, ...(session !== undefined && { session }), ...(rung !== undefined && { rung }) };
}

function spawned({ process, version, sandbox }: EventOf<'attempt.spawned'>['data']): Partial<AttemptView> {
  return {
    pid: process.pid,
    ...(version !== undefined && { version }),
    ...(sandbox !== undefined && { sandbox }),
  };
}

interface Spender {
  /** Of the conversation; absent until it is known. */
  session?: string;
  /** The conversation that this one is a copy of. */
  copyOf?: string | undefined;
  used?: Used;
}

/**
 * What agents have used, by attempt: a cumulative count goes on over all attempts, and tasks, that share a session, and each is
 * charged only what it has added.
 */
class AttemptUsage {
  readonly #spenders = new Map<string, Spender>();
  readonly #meter = new UsageMeter();

  add(event: RunEvent): void {
    switch (event.type) {
      case 'attempt.started':
        this.#begin(event.attempt, event.data.agent);
        return;
      case 'session.opened':
        this.#meter.copy(this.#spenders.get(event.attempt)?.copyOf, event.data.session);
        this.#enter(event.attempt, event.data.session);
        return;
      case 'transcript.added':
        this.#read(event.attempt, event.data);
        return;
    }
  }

  of(attempt: string): Used | undefined {
    return this.#spenders.get(attempt)?.used;
  }

  #begin(attempt: string, agent: EventOf<'attempt.started'>['data']['agent']): void {
    const spender = this.#enter(attempt, agent?.session);
    if (agent?.how === 'fork') spender.copyOf = agent.of;
  }

  #enter(attempt: string, session?: string): Spender {
    const spender = this.#spenders.get(attempt) ?? {};
    if (session !== undefined) spender.session = session;
    this.#spenders.set(attempt, spender);
    return spender;
  }

  #read(attempt: string, data: EventOf<'transcript.added'>['data']): void {
    const spender = this.#spenders.get(attempt) ?? this.#enter(attempt);
    // Until the session is known, the attempt stands for it.
    const { session = attempt } = spender;
    const added = this.#meter.read({ attempt, session }, usageEntriesOf(data));
    if (added !== undefined) spender.used = addUsed(spender.used ?? nothingUsed, added);
  }
}

/** What checks have found, in order. */
export function checksIn(events: readonly RunEvent[], task: string): CheckView[] {
  return events.flatMap((event) =>
    event.type === 'check.failed' && event.task === task ? [{ task, at: event.at, ...event.data }] : [],
  );
}

/** What people have decided, in order. */
export function decisionsIn(events: readonly RunEvent[], task: string): DecisionView[] {
  return events.flatMap((event) => {
    const decision = decisionOf(event);
    if (decision === undefined || !('task' in event) || event.task !== task) return [];
    const { comment, by } = event.data as { readonly comment?: string; readonly by?: Sender };
    const why = { ...(comment !== undefined && { comment }), ...(by !== undefined && { by }) };
    return [{ task, at: event.at, decision, ...answerIn(event), ...why }];
  });
}

function decisionOf(event: RunEvent): DecisionView['decision'] | undefined {
  if (event.type === 'work.confirmed') return 'done';
  if (event.type !== 'gate.decided') return undefined;
  const { approved, answer, isOverdue } = event.data;
  if (answer !== undefined) return 'answered';
  if (isOverdue === true) return 'unanswered';
  return approved ? 'approved' : 'rejected';
}

function answerIn(event: RunEvent): Pick<DecisionView, 'answer' | 'isOverdue'> {
  if (event.type !== 'gate.decided') return {};
  const { answer, isOverdue } = event.data;
  return { ...(answer !== undefined && { answer }), ...(isOverdue === true && { isOverdue }) };
}
