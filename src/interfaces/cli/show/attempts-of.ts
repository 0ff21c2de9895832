import { existsSync } from 'node:fs';
import type { RunEvent } from '../../../engine/index.ts';
import type { Piton } from '../../../library/index.ts';

/** One try at a task, as the journal tells it. */
export interface AttemptReport {
  readonly attempt: string;
  readonly number: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly outcome?: string;
  readonly reason?: string;
  /** How later drivers came by it. */
  readonly recovered?: readonly string[];
  readonly pid?: number;
  /** The folder with what its process wrote, while it is kept. */
  readonly spool?: string;
}

export async function attemptsOf(
  piton: Piton,
  events: AsyncIterable<RunEvent>,
  address: string,
): Promise<AttemptReport[]> {
  const attempts = new Map<string, AttemptReport>();
  for await (const event of events) {
    if (!('attempt' in event) || event.task !== address) continue;
    const before = attempts.get(event.attempt) ?? newAttempt(piton, event);
    attempts.set(event.attempt, { ...before, ...told(before, event) });
  }
  return [...attempts.values()];
}

type AttemptEvent = Extract<RunEvent, { readonly attempt: string }>;

function newAttempt(piton: Piton, { attempt, at }: AttemptEvent): AttemptReport {
  const spool = piton.spoolOf(attempt);
  return { attempt, number: 0, startedAt: at, ...(existsSync(spool) && { spool }) };
}

function told(before: AttemptReport, event: AttemptEvent): Partial<AttemptReport> {
  switch (event.type) {
    case 'attempt.started':
      return { number: event.data.number };
    case 'attempt.spawned':
      return { pid: event.data.process.pid };
    case 'attempt.recovered':
      return { recovered: [...(before.recovered ?? []), event.data.how] };
    case 'attempt.ended': {
      const { outcome, reason } = event.data;
      return { endedAt: event.at, outcome, ...(reason !== undefined && { reason }) };
    }
  }
}
