import type { BreakerPolicy, Event, EventOf, Failure } from '../model/index.ts';
import { delayTask } from './delay-task.ts';
import type { BreakerState, OpenBreaker, RunState, TaskState } from './run-state.ts';
import { awaitedResource } from './life.ts';

const defaultPolicy: BreakerPolicy = { failures: 5, cooldownMs: 30_000, maxCooldownMs: 30 * 60_000 };
/** Every call costs, and another agent may be there. */
const agentPolicy: BreakerPolicy = { failures: 3, cooldownMs: 60_000, maxCooldownMs: 30 * 60_000 };

/** Whoever waits for a trial is told of its end. This long it waits if, against all odds, nobody tells it. */
const shortestWaitMs = 1_000;

/** How long a task must wait for a resource. */
export interface ResourceWait {
  readonly resource: string;
  readonly until: number;
  readonly reason: string;
}

/** What a task that could start must wait for first, if a resource of it is out of order: the longest such wait. */
export function breakerWait(state: RunState, task: TaskState, now: number): ResourceWait | undefined {
  if (state.breakers.size === 0) return undefined;
  return longest(resourcesOf(task).map((resource) => waitFor(state, resource, now)));
}

/** It has been delayed for a resource that another task tries now. The end of that trial will wake it: no need to say it again. */
export function waitsForTrial(state: RunState, { life }: TaskState): boolean {
  const resource = awaitedResource(life);
  return resource !== undefined && state.breakers.get(resource)?.open?.trial !== undefined;
}

/** What a transient failure of a task means for its resources, and how long the task has to wait for them now. */
export function tripBreakers(
  state: RunState,
  task: TaskState,
  { failure, now }: { failure: Failure; now: number },
): { readonly opened: EventOf<'breaker.opened'>[]; readonly wait: ResourceWait | undefined } {
  const opened: EventOf<'breaker.opened'>[] = [];
  const waits = resourcesOf(task).map((resource) => {
    const reason = reasonToOpen(state, task, { resource, failure, now });
    if (reason === undefined) return waitFor(state, resource, now);
    const data = { resource, until: now + cooldownOf(state, resource), reason };
    opened.push({ type: 'breaker.opened', data });
    return { ...data, reason: openText(resource, reason) };
  });
  return { opened, wait: longest(waits) };
}

/** The same of the agent that made the attempt. Tasks do not wait for an agent by its breaker: they may take another. */
export function tripAgent(
  state: RunState,
  task: TaskState,
  { failure, now }: { failure: Failure; now: number },
): EventOf<'breaker.opened'>[] {
  const { network } = failure;
  return agentOf(task).flatMap((resource) => {
    const reason = reasonToOpen(state, task, { resource, failure, now });
    if (reason === undefined) return [];
    const until = now + cooldownOf(state, resource);
    return [
      { type: 'breaker.opened', data: { resource, until, reason, ...(network === true && { network }) } },
    ];
  });
}

/** The trial of a task went well enough: whatever it ended with, the resource was not to blame. */
export function closeTried(state: RunState, task: TaskState, now: number): Event[] {
  if (state.breakers.size === 0) return [];
  const tried = resourcesOf(task).filter(
    (resource) => state.breakers.get(resource)?.open?.trial === task.address,
  );
  const overcome = agentOf(task).filter(
    (resource) => (state.breakers.get(resource)?.open?.until ?? Infinity) <= now,
  );
  return [...tried, ...overcome].map((resource) => ({ type: 'breaker.closed', data: { resource } }));
}

/** The breaker of an agent is open while it is at its usage limit, or does not work. */
export function agentResource(agent: string): string {
  return `agent:${agent}`;
}

/** Of the attempt under way, if an agent makes it. */
function agentOf({ life }: TaskState): readonly string[] {
  const agent = life.status === 'running' ? life.attempt?.agent : undefined;
  return agent === undefined ? [] : [agentResource(agent.name)];
}

/** The task that tries one of these resources at the moment, if one does. */
export function trialOf(state: RunState, task: TaskState): string | undefined {
  return resourcesOf(task)
    .map((resource) => state.breakers.get(resource)?.open?.trial)
    .find((trial) => trial !== undefined);
}

/** A task that consists of others uses nothing by itself. */
function resourcesOf({ spec }: TaskState): readonly string[] {
  return spec.work.type === 'workflow' ? [] : (spec.resources ?? []);
}

function longest(waits: readonly (ResourceWait | undefined)[]): ResourceWait | undefined {
  return waits
    .filter((wait) => wait !== undefined)
    .reduce<ResourceWait | undefined>(
      (most, wait) => (most && most.until >= wait.until ? most : wait),
      undefined,
    );
}

function waitFor(state: RunState, resource: string, now: number): ResourceWait | undefined {
  const open = state.breakers.get(resource)?.open;
  if (open === undefined) return undefined;
  if (open.until > now) return { resource, until: open.until, reason: openText(resource, open.reason) };
  if (open.trial === undefined) return undefined;
  const until = now + Math.max(policyOf(state, resource).maxCooldownMs, shortestWaitMs);
  return { resource, until, reason: `the breaker of ${resource} is half-open: ${open.trial} tries it first` };
}

function openText(resource: string, reason: string): string {
  return `the breaker of ${resource} is open: ${reason}`;
}

function reasonToOpen(
  state: RunState,
  { address }: TaskState,
  { resource, failure, now }: { resource: string; failure: Failure; now: number },
): string | undefined {
  const { failures = 0, open } = state.breakers.get(resource) ?? {};
  if (open !== undefined) {
    const isTrial = open.trial === undefined ? open.until <= now : open.trial === address;
    return isTrial ? `${address} has tried, and failed: ${failure.message}` : undefined;
  }
  if (failures + 1 < policyOf(state, resource).failures) return undefined;
  return `${failures + 1} transient failures in a row, the last of ${address}: ${failure.message}`;
}

function policyOf({ workflow: { breakers = {} } }: RunState, resource: string): BreakerPolicy {
  if (Object.hasOwn(breakers, resource)) return breakers[resource]!;
  return resource.startsWith(agentResource('')) ? agentPolicy : defaultPolicy;
}

function cooldownOf(state: RunState, resource: string): number {
  const { cooldownMs, maxCooldownMs } = policyOf(state, resource);
  const openings = state.breakers.get(resource)?.openings ?? 0;
  return Math.min(cooldownMs * 2 ** Math.min(openings, 1_000), Math.max(maxCooldownMs, cooldownMs));
}

/** Fold of `attempt.started`: whoever starts while a breaker is half-open, tries. */
export function beginTrials(state: RunState, task: TaskState): void {
  for (const [, breaker] of openBreakersOf(state, task)) {
    if (breaker.open.trial === undefined) breaker.open = { ...breaker.open, trial: task.address };
  }
}

/** Fold of `attempt.ended`. */
export function countForBreakers(
  state: RunState,
  task: TaskState,
  { outcome, class: kind }: EventOf<'attempt.ended'>['data'],
): void {
  if (outcome === 'succeeded' || kind === 'permanent') forgiveFailures(state, task);
  if (kind === 'transient') for (const resource of blamed(task)) countFailure(state, resource);
  const isVerdict = outcome === 'succeeded' || kind !== undefined;
  endTrials(state, task, { isVerdict });
}

/** The place of the one who tries is free. Without a verdict another may try at once; else the verdict follows. */
export function endTrials(state: RunState, task: TaskState, { isVerdict }: { isVerdict: boolean }): void {
  for (const [resource, breaker] of openBreakersOf(state, task)) {
    if (breaker.open.trial !== task.address) continue;
    const { trial: _, ...open } = breaker.open;
    breaker.open = open;
    if (!isVerdict) waitUntil(state, resource, state.at);
  }
}

function blamed(task: TaskState): readonly string[] {
  return [...resourcesOf(task), ...agentOf(task)];
}

function forgiveFailures(state: RunState, task: TaskState): void {
  if (state.breakers.size === 0) return;
  for (const resource of blamed(task)) {
    if (state.breakers.get(resource)?.open === undefined) state.breakers.delete(resource);
  }
}

function countFailure({ breakers }: RunState, resource: string): void {
  const breaker = breakers.get(resource);
  if (breaker === undefined) breakers.set(resource, { failures: 1, openings: 0 });
  else breaker.failures++;
}

type Open = [resource: string, breaker: BreakerState & { open: OpenBreaker }];

function openBreakersOf({ breakers }: RunState, task: TaskState): Open[] {
  if (breakers.size === 0) return [];
  return resourcesOf(task).flatMap((resource) => {
    const breaker = breakers.get(resource);
    return breaker?.open === undefined ? [] : [[resource, breaker] as Open];
  });
}

export function openBreaker(state: RunState, { resource, ...open }: EventOf<'breaker.opened'>['data']): void {
  const { failures = 0, openings = 0 } = state.breakers.get(resource) ?? {};
  state.breakers.set(resource, { failures, openings: openings + 1, open });
  waitUntil(state, resource, open.until);
}

/** All that waited for it may start at once. */
export function closeBreaker(state: RunState, resource: string): void {
  state.breakers.delete(resource);
  for (const task of waitingFor(state, resource)) {
    delayTask(state, task, {
      status: 'delayed',
      until: state.at,
      reason: `the breaker of ${resource} was closed`,
      waitsFor: { type: 'time' },
    });
  }
  state.agenda.waiting.delete(resource);
}

/** A person wants the agents of the task to be asked again, whatever they said before. */
export function askAgain({ breakers }: RunState, { spec: { work } }: TaskState): void {
  if (work.type === 'agent') for (const agent of work.agents) breakers.delete(agentResource(agent));
}

/** A person wants the task to be tried now: it may, even though it is early. */
export function hastenTrial(state: RunState, task: TaskState): void {
  for (const [, breaker] of openBreakersOf(state, task))
    breaker.open = { ...breaker.open, until: Math.min(breaker.open.until, state.at) };
}

function waitUntil(state: RunState, resource: string, until: number): void {
  for (const task of waitingFor(state, resource)) {
    if (task.life.status === 'delayed') delayTask(state, task, { ...task.life, until });
  }
}

function waitingFor(state: RunState, resource: string): TaskState[] {
  const waiting = [...(state.agenda.waiting.get(resource) ?? [])].map((address) => state.tasks.get(address));
  return waiting.filter(
    (task) => task !== undefined && awaitedResource(task.life) === resource,
  ) as TaskState[];
}
