import { formatDuration, countText, moneyText } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { Budget, UsageLimits, Workflow } from '../../model/index.ts';

/** `$20.00 and 5M tokens`. */
export function budgetText({ usd, tokens }: Budget): string {
  return [
    ...(usd === undefined ? [] : [moneyText(usd)]),
    ...(tokens === undefined ? [] : [`${countText(tokens)} tokens`]),
  ].join(' and ');
}

/** What bounds the agents of a workflow, in words. */
export function boundsOf({ budget, usageLimits }: Pick<Workflow, 'budget' | 'usageLimits'>): string[] {
  const { perDay, ...perRun } = budget ?? {};
  const [run, day] = [budgetText(perRun), budgetText(perDay ?? {})];
  return [
    ...(run === '' ? [] : [`agents may use ${run} in one run`]),
    ...(day === '' ? [] : [`agents may use ${day} on one day, in all runs together`]),
    ...(usageLimits === undefined ? [] : limitsOf(usageLimits)),
  ];
}

/** What holds for all workflows of the project. */
export function boundsOfProject({ budgetPerDay }: Pick<Config, 'budgetPerDay'>): string[] {
  if (budgetPerDay === undefined) return [];
  return [`agents may use ${budgetText(budgetPerDay)} on one day, in all runs together (.piton/config.yaml)`];
}

function limitsOf({ maxWaitMs, quietHours }: UsageLimits): string[] {
  return [
    ...(maxWaitMs === undefined ? [] : [waitText(maxWaitMs)]),
    ...(quietHours === undefined
      ? []
      : [
          `after a usage limit nothing starts from ${timeOfDay(quietHours.from)} to ${timeOfDay(quietHours.to)}`,
        ]),
  ];
}

function waitText(maxWaitMs: number): string {
  if (maxWaitMs === 0) return 'usage limits are not waited for: the task is held';
  return `usage limits are waited for ${formatDuration(maxWaitMs)} at most; for longer ones the task is held`;
}

/** Given in minutes of the day. */
function timeOfDay(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours, rest].map((part) => String(part).padStart(2, '0')).join(':');
}
