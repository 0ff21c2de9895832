import type { AgentEvent } from '../agents/index.ts';
import { formatDuration } from '../base/index.ts';
import type { Outcome } from '../model/index.ts';
import type { Exit } from '../spool/index.ts';

/** By somebody, or by a machine that is short of memory: an agent does not fail that way, it goes on. */
export function wasKilled({ code, timedOut }: Exit): boolean {
  return !timedOut && [129, 130, 137, 143].includes(code);
}

export function unreadable({ code }: Exit): string {
  return `it ended with exit code ${code} and said nothing of a result that Piton understands`;
}

export function idleText(ms: number): string {
  return `it printed nothing for ${formatDuration(ms)}, and no tool of it was at work`;
}

export function isEvent(event: AgentEvent): boolean {
  return event.type !== 'unknown' || event.kind !== undefined;
}

export function isUsage({ type }: AgentEvent): boolean {
  return type === 'usage';
}

export interface Again {
  readonly reason: string;
  /** Nothing is known but that it failed. */
  readonly isUnexplained: boolean;
}

/** Whether an attempt that ended so may be followed by another without a person, and why it ended. */
export function beginsAgain(outcome: Outcome): Again | undefined {
  if (outcome.type === 'delayed') return { reason: outcome.reason, isUnexplained: false };
  if (outcome.type !== 'failed' || !outcome.failure.retryable) return undefined;
  const { message, class: kind } = outcome.failure;
  return { reason: message, isUnexplained: kind === undefined };
}
