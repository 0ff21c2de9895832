import { parseDuration, PitonError } from '../base/index.ts';
import type { TaskDraft, WorkflowDraft } from '../definition/index.ts';
import {
  checkpointNames,
  type Budget,
  type CheckpointPolicy,
  type ErrorRule,
  type JsonSchema,
  type OnInterrupt,
} from '../model/index.ts';

/**
 * A time span: milliseconds, or text such as `250ms`, `30s`, `1h30m`, `2d`. No type can tell such texts from others;
 * one that is no time span is refused with `DEFINITION_INVALID` when the workflow is defined.
 */
export type Duration = number | string;

/** When a task that failed is tried again by itself, and after how long. */
export interface RetryOptions {
  /** All tries together. */
  readonly attempts: number;
  /** Before the second try; default 1s. */
  readonly backoff?: Duration;
  /** What the delay is multiplied with each time; default 2. */
  readonly factor?: number;
  /** The longest delay; default 1m. */
  readonly max?: Duration;
  /** By how much of itself a delay may be shortened at random: 0 to 1; default 0.5. */
  readonly jitter?: number;
  /** Only these: error codes or names, or `/patterns/` on the message. */
  readonly on?: readonly string[];
  readonly notOn?: readonly string[];
}

/** What every kind of task or node can be told. */
export interface StepOptions {
  readonly retry?: RetryOptions | number;
  /** Of one attempt. */
  readonly timeout?: Duration;
  /** Higher starts first. */
  readonly priority?: number;
  /** Names that only one running task may hold at a time. */
  readonly locks?: readonly string[];
  /** Names that only one running task may hold at a time, of all runs on the same repository. */
  readonly repositoryLocks?: readonly string[];
  /** What an interrupted task may do by itself; default `restart`. `ask` also forbids automatic retry. */
  readonly onInterrupt?: Exclude<OnInterrupt, 'continue'>;
  /** A person is asked this before the first attempt. May hold expressions: `Release ${{ inputs.version }}?`. */
  readonly approval?: string;
  /** What it depends on outside, by name: after failures in a row, tasks that use it wait. */
  readonly resources?: readonly string[];
  /** How failures are to be understood, before what Piton knows by itself. The first that fits counts. */
  readonly errors?: readonly ErrorRule[];
  /** A JSON Schema that the output must fit. */
  readonly output?: JsonSchema;
  /** Functions cannot be compared: say here when this one has changed. */
  readonly version?: string;
}

/** How often the journal is written. Whatever others act upon is always written at once. */
export type CheckpointOption =
  | 'every-task'
  | 'on-gates'
  | 'manual'
  | 'off'
  | {
      /** A number of settled tasks, a time span as text, or one of the names. */
      readonly every?: Duration;
      /** false: big values are dropped when the run has succeeded; `remove-on-success`: the run is removed then. Default: true. */
      readonly preserve?: CheckpointPolicy['preserve'];
    };

/** When tasks that use a resource wait for it. */
export interface BreakerOptions {
  /** So many transient failures in a row open it; default 5. */
  readonly failures?: number;
  /** How long tasks wait then, doubled each time it does not help; default 30s. */
  readonly cooldown?: Duration;
  /** The longest wait; default 30m. */
  readonly maxCooldown?: Duration;
}

/** What agents may use up in one run, and all runs of the store together on one day of the local calendar. */
export interface RunBudget extends Budget {
  readonly perDay?: Budget;
}

/** What happens when an agent is at its usage limit. */
export interface UsageLimitOptions {
  /** How long its end is waited for; true: as long as it takes; false: the task is held at once. Default: true. */
  readonly wait?: boolean | Duration;
  /** Local hours, such as `22:00-07:00`, in which no agent that has waited goes on. */
  readonly quietHours?: string;
}

export function usageLimitsDraft(limits: UsageLimitOptions | undefined): WorkflowDraft['usageLimits'] {
  if (limits === undefined) return undefined;
  const { wait = true, quietHours } = limits;
  return { maxWaitMs: wait === true ? undefined : milliseconds('usageLimits.wait', wait || 0), quietHours };
}

export function breakersDraft(
  breakers: Readonly<Record<string, BreakerOptions>> | undefined,
): WorkflowDraft['breakers'] {
  if (breakers === undefined) return undefined;
  const entries = Object.entries(breakers).map(([resource, { failures, cooldown, maxCooldown }]) => [
    resource,
    {
      failures,
      cooldownMs: optionalMilliseconds('breakers.cooldown', cooldown),
      maxCooldownMs: optionalMilliseconds('breakers.maxCooldown', maxCooldown),
    },
  ]);
  return Object.fromEntries(entries) as WorkflowDraft['breakers'];
}

/** Only agents can `continue`. */
type AnyStepOptions = Omit<StepOptions, 'onInterrupt'> & { readonly onInterrupt?: OnInterrupt };

export function stepDraft(options: AnyStepOptions): Omit<TaskDraft, 'name' | 'work'> {
  const { retry, timeout, priority, locks, repositoryLocks, onInterrupt } = options;
  const { approval, resources, errors, output, version } = options;
  return {
    retry: retryDraft(retry),
    timeoutMs: optionalMilliseconds('timeout', timeout),
    priority,
    locks,
    repositoryLocks,
    onInterrupt,
    approval,
    resources,
    errors,
    output,
    version,
  };
}

function retryDraft(retry: RetryOptions | number | undefined): TaskDraft['retry'] {
  if (retry === undefined) return undefined;
  const { attempts, backoff, factor, max, jitter, on, notOn } =
    typeof retry === 'number' ? { attempts: retry } : retry;
  return {
    attempts,
    backoffMs: optionalMilliseconds('retry.backoff', backoff),
    factor,
    maxBackoffMs: optionalMilliseconds('retry.max', max),
    jitter,
    on,
    notOn,
  };
}

export function checkpointDraft(option: CheckpointOption | undefined): WorkflowDraft['checkpoint'] {
  if (option === undefined) return undefined;
  const { every = 'every-task', preserve } = typeof option === 'string' ? { every: option } : option;
  return { every: everyDraft(every), ...(preserve !== undefined && { preserve }) };
}

function everyDraft(every: number | string): CheckpointPolicy['every'] {
  if (typeof every === 'number') return { tasks: every };
  return checkpointNames[every] ?? { ms: milliseconds('checkpoint.every', every) };
}

export function optionalMilliseconds(what: string, duration: Duration | undefined): number | undefined {
  return duration === undefined ? undefined : milliseconds(what, duration);
}

function milliseconds(what: string, duration: number | string): number {
  const ms = parseDuration(duration);
  if (ms !== undefined) return ms;
  throw new PitonError(
    'DEFINITION_INVALID',
    `${what} is ${JSON.stringify(duration)}, which is not a time span.`,
    {
      remedy: 'Write milliseconds, or text such as 30s or 1h30m.',
    },
  );
}
