import { readRetryMatch, type Budget, type ErrorRule, type RetryPolicy } from '../../model/index.ts';
import { keyInCode, type Finding, type Path } from '../problems.ts';
import type {
  AgentDraft,
  ForEachDraft,
  TaskDraft,
  UsageLimitsDraft,
  WorkflowDraft,
} from '../workflow-draft.ts';
import { checkQuietHours } from './quiet-hours.ts';
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

/** What to write instead of a budget per day where none can be. */
export const perDayRemedy = 'Put it at the top of the file: `budget: { per-day: { usd: 50 } }`.';

const counting: Limits = { least: 1, whole: true };
const anyWhole: Limits = { least: -Number.MAX_SAFE_INTEGER, whole: true };
const oneMillisecond: Limits = { least: 1 };

function checkWorkflow(draft: WorkflowDraft, at: Path): Finding[] {
  const every = draft.checkpoint?.every;
  return [
    ...Object.entries(draft.breakers ?? {}).flatMap(([resource, breaker]) =>
      checkBreaker(breaker, [...at, 'breakers', resource]),
    ),
    ...(draft.budget === undefined ? [] : checkRunBudget(draft.budget, [...at, 'budget'])),
    ...(draft.usageLimits === undefined ? [] : checkUsageLimits(draft.usageLimits, [...at, 'usage-limits'])),
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
    ...(task.work.type === 'agent' ? checkAgent(task.work, at) : []),
    ...checkNumber(task.check?.revise, [...at, 'check', 'revise'], revisions),
    ...checkNumber(task.pool, [...at, 'pool'], counting),
    ...checkNumber(task.setup?.ports, [...at, 'setup', 'ports'], ports),
    ...(task.retry === undefined ? [] : checkRetry(task.retry, [...at, 'retry'])),
    ...(task.forEach === undefined ? [] : checkForEach(task.forEach, [...at, 'for-each'])),
    ...(task.errors ?? []).flatMap((rule, index) => checkErrorRule(rule, [...at, 'errors', index])),
  ];
}

/** Of one place: a machine has only so many. */
const ports: Limits = { least: 1, most: 100, whole: true };

/** Each may cost as much as the work itself. */
const revisions: Limits = { least: 0, most: 20, whole: true };

function checkAgent({ maxTurns, idleTimeoutMs, budget }: AgentDraft, at: Path): Finding[] {
  return [
    ...checkNumber(idleTimeoutMs, [...at, 'idle-timeout'], { least: 0 }),
    ...checkNumber(maxTurns, [...at, 'max-turns'], counting),
    ...(budget === undefined ? [] : checkTaskBudget(budget, [...at, 'budget'])),
  ];
}

function checkRunBudget({ perDay, ...budget }: NonNullable<WorkflowDraft['budget']>, at: Path): Finding[] {
  if (perDay === undefined) return checkBudget(budget, at);
  const findings = checkBudget(perDay, [...at, 'per-day']);
  return Object.keys(budget).length === 0 ? findings : [...checkBudget(budget, at), ...findings];
}

function checkTaskBudget(budget: Budget & { readonly perDay?: unknown }, at: Path): Finding[] {
  if (budget.perDay === undefined) return checkBudget(budget, at);
  const inCode = { remedy: 'Put it into the settings of the workflow: `budget: { perDay: { usd: 50 } }`.' };
  return [{ at, message: 'Only a workflow as a whole has a budget per day.', remedy: perDayRemedy, inCode }];
}

function checkBudget({ usd, tokens }: Budget, at: Path): Finding[] {
  if (usd === undefined && tokens === undefined) {
    const remedy = 'Give it `usd`, or `tokens`.';
    return [{ at, message: 'This budget limits nothing.', remedy }];
  }
  return [
    ...checkNumber(usd, [...at, 'usd'], { least: 0 }),
    ...checkNumber(tokens, [...at, 'tokens'], { least: 0, whole: true }),
  ];
}

function checkUsageLimits({ maxWaitMs, quietHours }: UsageLimitsDraft, at: Path): Finding[] {
  return [
    ...checkNumber(maxWaitMs, [...at, 'wait'], { least: 0 }),
    ...(quietHours === undefined ? [] : checkQuietHours(quietHours, [...at, 'quiet-hours'])),
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
  const key = String(at.at(-1));
  const told = (name: string): string => `\`${name}\` must be ${describeLimits(limits)}; it is ${value}.`;
  return [{ at, message: told(key), inCode: { message: told(keyInCode(key)) } }];
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
