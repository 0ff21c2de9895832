import { existsSync } from 'node:fs';
import type { RunEvent } from '../../../engine/index.ts';
import type { Piton } from '../../../library/index.ts';
import type { EventOf, Sender } from '../../../model/index.ts';
import { UsageTally, type Usage } from '../conversation/index.ts';

/** One try at a task, as the journal tells it. */
export interface AttemptReport {
  readonly attempt: string;
  readonly number: number;
  /** What it is for: the work itself, or something around it. */
  readonly kind: 'work' | NonNullable<EventOf<'attempt.started'>['data']['kind']>;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly outcome?: string;
  readonly reason?: string;
  /** How later drivers came by it. */
  readonly recovered?: readonly string[];
  readonly pid?: number;
  /** By what it was contained, or why not though it should have been; absent: it was not to be. */
  readonly sandbox?: string;
  /** Who did it, if it was a coding agent, and in which conversation. */
  readonly agent?: string;
  readonly session?: string;
  readonly usage?: Usage;
  /** The folder with what its process wrote, while it is kept. */
  readonly spool?: string;
}

export interface AttemptsReport {
  readonly attempts: readonly AttemptReport[];
  /** Of all attempts together, if agents made them. */
  readonly usage: Usage | undefined;
  /** What its checks have found, in order. */
  readonly reports: readonly CheckReport[];
  /** What people have decided about it. */
  readonly decisions: readonly Decision[];
}

export interface Decision {
  readonly at: number;
  readonly approved: boolean;
  readonly by?: Sender;
}

export interface CheckReport {
  readonly at: number;
  /** Which revision was to mend it; 0: none was left. */
  readonly revision: number;
  readonly report: string;
}

export async function attemptsOf(
  piton: Piton,
  events: AsyncIterable<RunEvent>,
  address: string,
): Promise<AttemptsReport> {
  const attempts = new Map<string, AttemptReport>();
  const reports: CheckReport[] = [];
  const decisions: Decision[] = [];
  const tally = new UsageTally();
  for await (const event of events) {
    tally.add(event);
    if (event.type === 'check.failed' && event.task === address)
      reports.push({ at: event.at, ...event.data });
    if (event.type === 'gate.decided' && event.task === address) decisions.push(decisionIn(event));
    if (!('attempt' in event) || event.task !== address) continue;
    const before = attempts.get(event.attempt) ?? newAttempt(piton, event);
    attempts.set(event.attempt, { ...before, ...told(before, event) });
  }
  return {
    attempts: [...attempts.values()].map((report) => withUsage(report, tally.ofAttempt(report.attempt))),
    usage: tally.ofTask(address),
    reports,
    decisions,
  };
}

function decisionIn({ at, data: { approved, by } }: Extract<RunEvent, { type: 'gate.decided' }>): Decision {
  return { at, approved, ...(by !== undefined && { by }) };
}

function withUsage(report: AttemptReport, usage: Usage | undefined): AttemptReport {
  return usage === undefined ? report : { ...report, usage };
}

type AttemptEvent = Extract<RunEvent, { readonly attempt: string }>;

function newAttempt(piton: Piton, { attempt, at }: AttemptEvent): AttemptReport {
  const spool = piton.spoolOf(attempt);
  return { attempt, number: 0, kind: 'work', startedAt: at, ...(existsSync(spool) && { spool }) };
}

function agentIn(agent: EventOf<'attempt.started'>['data']['agent']): Partial<AttemptReport> {
  if (agent === undefined) return {};
  return { agent: agent.name, ...(agent.session !== undefined && { session: agent.session }) };
}

function started(
  { number, kind, agent, begunAt }: EventOf<'attempt.started'>['data'],
  at: number,
): Partial<AttemptReport> {
  return { number, kind: kind ?? 'work', startedAt: begunAt ?? at, ...agentIn(agent) };
}

function told(before: AttemptReport, event: AttemptEvent): Partial<AttemptReport> {
  switch (event.type) {
    case 'attempt.started':
      return started(event.data, event.at);
    case 'session.opened':
      return { agent: event.data.agent, session: event.data.session };
    case 'attempt.spawned':
      return {
        pid: event.data.process.pid,
        ...(event.data.sandbox !== undefined && { sandbox: event.data.sandbox }),
      };
    case 'attempt.recovered':
      return { recovered: [...(before.recovered ?? []), event.data.how] };
    case 'attempt.ended': {
      const { outcome, reason } = event.data;
      return { endedAt: event.at, outcome, ...(reason !== undefined && { reason }) };
    }
    // What was said and saved is shown elsewhere.
    default:
      return {};
  }
}
