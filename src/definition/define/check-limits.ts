import { readRetryMatch, type ErrorRule, type RetryPolicy } from '../../model/index.ts';
import type { Finding, Path } from '../problems.ts';
import type { ForEachDraft, TaskDraft, WorkflowDraft } from '../workflow-draft.ts';
import { taskPath, type Scope } from './scope.ts';

/** Numbers outside of what makes sense, and patterns that are none. */
export function checkLimits(scope: Scope): Finding[] {
  return [
    ...checkWorkflow(scope.draft, scope.at),
    ...scope.draft.tasks.flatMap((task) => checkTask(task, taskPath(scope, task))),
  ];
}

interface Limits {
  readonly least: number;
  readonly most?: number;
  readonly whole?: boolean;
}

const counting: Limits = { least: 1, whole: true };
const anyWhole: Limits = { least: -Number.MAX_SAFE_INTEGER, whole: true };
const oneMillisecond: Limits = { least: 1 };

function checkWorkflow(draft: WorkflowDraft, at: Path): Finding[] {
  const every = draft.checkpoint?.every;
  return [
    ...Object.entries(draft.breakers ?? {}).flatMap(([resource, breaker]) =>
      checkBreaker(breaker, [...at, 'breakers', resource]),
    ),
    ...checkNumber(draft.maxParallel, [...at, 'max-parallel'], counting),
    ...checkNumber(draft.graph?.maxSteps, [...at, 'max-steps'], counting),
    ...(typeof every === 'object' && 'tasks' in every
      ? checkNumber(every.tasks, [...at, 'checkpoint', 'every'], counting)
      : []),
    ...(typeof every === 'object' && 'ms' in every
      ? checkNumber(every.ms, [...at, 'checkpoint', 'every'], oneMillisecond)
      : []),
  ];
}

function checkTask(task: TaskDraft, at: Path): Finding[] {
  return [
    ...checkNumber(task.timeoutMs, [...at, 'timeout'], oneMillisecond),
    ...checkNumber(task.priority, [...at, 'priority'], anyWhole),
    ...(task.work.type === 'agent' ? checkNumber(task.work.maxTurns, [...at, 'max-turns'], counting) : []),
    ...(task.retry === undefined ? [] : checkRetry(task.retry, [...at, 'retry'])),
    ...(task.forEach === undefined ? [] : checkForEach(task.forEach, [...at, 'for-each'])),
    ...(task.errors ?? []).flatMap((rule, index) => checkErrorRule(rule, [...at, 'errors', index])),
  ];
}

type Breaker = NonNullable<WorkflowDraft['breakers']>[string];

function checkBreaker(breaker: Breaker, at: Path): Finding[] {
  return [
    ...checkNumber(breaker.failures, [...at, 'failures'], counting),
    ...checkNumber(breaker.cooldownMs, [...at, 'cooldown'], oneMillisecond),
    ...checkNumber(breaker.maxCooldownMs, [...at, 'max-cooldown'], oneMillisecond),
  ];
}

const exitCode: Limits = { least: 1, most: 255, whole: true };

function checkErrorRule({ exit, match }: ErrorRule, at: Path): Finding[] {
  if (exit === undefined && match === undefined) {
    const message = 'The rule does not say which failures it is about.';
    return [{ at, message, remedy: 'Give it `exit`, or `match`.' }];
  }
  return [
    ...(exit ?? []).flatMap((code) => checkNumber(code, [...at, 'exit'], exitCode)),
    ...checkPattern(match, [...at, 'match']),
  ];
}

function checkForEach(forEach: ForEachDraft, at: Path): Finding[] {
  return [
    ...checkNumber(forEach.maxParallel, [...at, 'max-parallel'], counting),
    ...checkNumber(forEach.maxFailures, [...at, 'max-failures'], { least: 0, whole: true }),
  ];
}

function checkRetry(retry: NonNullable<TaskDraft['retry']>, at: Path): Finding[] {
  return [
    ...checkNumber(retry.attempts, [...at, 'attempts'], counting),
    ...checkNumber(retry.backoffMs, [...at, 'backoff'], { least: 0 }),
    ...checkNumber(retry.factor, [...at, 'factor'], { least: 1 }),
    ...checkNumber(retry.maxBackoffMs, [...at, 'max'], { least: 0 }),
    ...checkNumber(retry.jitter, [...at, 'jitter'], { least: 0, most: 1 }),
    ...checkPatterns(retry.on ?? [], [...at, 'on']),
    ...checkPatterns(retry.notOn ?? [], [...at, 'not-on']),
  ];
}

function checkNumber(value: number | undefined, at: Path, limits: Limits): Finding[] {
  if (value === undefined || fits(value, limits)) return [];
  return [{ at, message: `\`${at.at(-1)}\` must be ${describeLimits(limits)}; it is ${value}.` }];
}

function fits(value: number, { least, most = Number.MAX_VALUE, whole }: Limits): boolean {
  return value >= least && value <= most && (whole !== true || Number.isInteger(value));
}

function describeLimits(limits: Limits): string {
  const kind = limits.whole === true ? 'a whole number' : 'a number';
  if (limits === anyWhole) return kind;
  return limits.most === undefined
    ? `${kind} of at least ${limits.least}`
    : `${kind} from ${limits.least} to ${limits.most}`;
}

function checkPatterns(matches: RetryPolicy['on'], at: Path): Finding[] {
  return matches.flatMap((text, index) => checkPattern(text, [...at, index]));
}

function checkPattern(text: string | undefined, at: Path): Finding[] {
  const match = text === undefined ? {} : readRetryMatch(text);
  return 'fault' in match ? [{ at, message: `\`${text}\` is no pattern: ${match.fault}.` }] : [];
}
