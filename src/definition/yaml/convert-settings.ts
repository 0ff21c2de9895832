import { writtenDuration } from '../../base/index.ts';
import { checkpointNames, type Budget, type InheritEnv } from '../../model/index.ts';
import type { Finding, Path } from '../problems.ts';
import type { TaskDraft, WorkflowDraft } from '../workflow-draft.ts';
import type { TaskEntry, WorkflowFile } from './file-schema.ts';

/** What a file says in its own way: durations as text, one name instead of a list, a number for a policy. */
export function toList(value: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof value === 'string' ? [value] : value;
}

export function toInherited(value: true | string | readonly string[] | undefined): InheritEnv | undefined {
  return value === true ? true : toList(value);
}

export function toText(value: string | number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

export function toMilliseconds(
  value: string | number | undefined,
  at: Path,
  findings: Finding[],
): number | undefined {
  if (value === undefined) return undefined;
  const ms = writtenDuration(value);
  if (ms === undefined) findings.push({ at, ...notATimeSpan(value) });
  return ms;
}

function notATimeSpan(value: string | number): Pick<Finding, 'message' | 'remedy'> {
  const lacksUnit = Number(value) > 0 && Number.isFinite(Number(value));
  return lacksUnit
    ? {
        message: `\`${value}\` is no time span: it has no unit.`,
        remedy: `Write \`${value}s\`, \`${value}m\` or \`${value}ms\`.`,
      }
    : { message: `\`${value}\` is no time span.`, remedy: 'Write 250ms, 30s or 1h30m.' };
}

const defaultJitter = 0.5;

export function toRetry(retry: TaskEntry['retry'], at: Path, findings: Finding[]): TaskDraft['retry'] {
  if (retry === undefined || typeof retry === 'number') {
    return retry === undefined ? undefined : { attempts: retry };
  }
  const { jitter } = retry;
  return {
    attempts: retry.attempts,
    backoffMs: toMilliseconds(retry.backoff, [...at, 'backoff'], findings),
    factor: retry.factor,
    maxBackoffMs: toMilliseconds(retry.max, [...at, 'max'], findings),
    jitter: typeof jitter === 'boolean' ? (jitter ? defaultJitter : 0) : jitter,
    on: toList(retry.on),
    notOn: toList(retry['not-on']),
  };
}

export function toCheckpoint(
  checkpoint: WorkflowFile['checkpoint'],
  at: Path,
  findings: Finding[],
): WorkflowDraft['checkpoint'] {
  if (checkpoint === undefined) return undefined;
  if (typeof checkpoint === 'string') return { every: checkpointNames[checkpoint] };
  const { every, preserve } = checkpoint;
  if (typeof every === 'number') return { every: { tasks: every }, preserve };
  if (every === undefined) return { every, preserve };
  if (Object.hasOwn(checkpointNames, every)) return { every: checkpointNames[every], preserve };
  const ms = toMilliseconds(every, [...at, 'every'], findings);
  return { every: ms === undefined ? undefined : { ms }, preserve };
}

export function toBreakers(
  breakers: WorkflowFile['breakers'],
  at: Path,
  findings: Finding[],
): WorkflowDraft['breakers'] {
  if (breakers === undefined) return undefined;
  const entries = Object.entries(breakers).map(([resource, breaker]) => [
    resource,
    {
      failures: breaker.failures,
      cooldownMs: toMilliseconds(breaker.cooldown, [...at, resource, 'cooldown'], findings),
      maxCooldownMs: toMilliseconds(breaker['max-cooldown'], [...at, resource, 'max-cooldown'], findings),
    },
  ]);
  return Object.fromEntries(entries) as WorkflowDraft['breakers'];
}

export function toBudget(budget: TaskEntry['budget']): Budget | undefined {
  if (budget === undefined) return undefined;
  const { usd, tokens } = budget;
  return { ...(usd !== undefined && { usd }), ...(tokens !== undefined && { tokens }) };
}

export function toRunBudget(budget: WorkflowFile['budget']): WorkflowDraft['budget'] {
  const perDay = toBudget(budget?.['per-day']);
  return budget && { ...toBudget(budget), ...(perDay !== undefined && { perDay }) };
}

export function toUsageLimits(
  limits: WorkflowFile['usage-limits'],
  at: Path,
  findings: Finding[],
): WorkflowDraft['usageLimits'] {
  if (limits === undefined) return undefined;
  const { wait, 'quiet-hours': quietHours } = limits;
  const asLongAsItTakes = wait === undefined || wait === true;
  return {
    maxWaitMs: asLongAsItTakes ? undefined : toMilliseconds(wait || 0, [...at, 'wait'], findings),
    quietHours,
  };
}
