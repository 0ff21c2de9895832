import { broughtInSince, conflictReason } from './conflict-partners.ts';
import { someNames } from '../base/index.ts';
import type { ErrorClass, Event, Failure, Outcome } from '../model/index.ts';
import { closeTried, tripAgent, tripBreakers, type ResourceWait } from './breakers.ts';
import { classify } from './classify.ts';
import { afterNetworkFailure, isOfNetwork } from './network.ts';
import { isRetried, retryDelay } from './retry.ts';
import { kindOf, type RunState, type TaskState } from './run-state.ts';
import { timesTheSame } from './in-a-row.ts';
import { heldForPlace } from './place-actions.ts';
import { released } from './released.ts';
import { doomOf } from './settle-task.ts';
import { conflictOf, proposalOf } from './stage.ts';
import type { World } from './world.ts';

type Classified = Failure & { readonly class: ErrorClass };

export interface FailureConsequence {
  readonly ended: 'failed' | 'delayed';
  readonly settled: readonly Event[];
  readonly failure: Classified;
}

type Failed = Extract<Outcome, { type: 'failed' }>;

/** What a failure of the attempt means for its task. */
export function fail(
  state: RunState,
  task: TaskState,
  { outcome, world }: { outcome: Failed; world: World },
): FailureConsequence {
  const kind = kindOf(task);
  if (kind === 'check' && outcome.report !== undefined) return revise(state, task, { outcome, world });
  if (kind === 'verify' && outcome.report !== undefined) return reject(state, task, { outcome, world });
  if (outcome.conflict !== undefined) return reconcile(state, task, { outcome, world });
  if (isOfPlace(task, outcome.failure)) return holdForPlace(state, task, outcome);
  return failWork(state, task, { outcome, world });
}

function failWork(
  state: RunState,
  task: TaskState,
  { outcome, world }: { outcome: Failed; world: World },
): FailureConsequence {
  const { sameness } = outcome;
  const failure = {
    ...outcome.failure,
    class: classify(outcome.failure, task.spec.errors ?? [], world.evaluator.finds),
  };
  if (failure.class !== 'transient') {
    const next = tryAgain(state, task, { failure, world, sameness });
    return { ended: 'failed', settled: [...next, ...closeTried(state, task, world.now)], failure };
  }
  const { opened, wait } = tripBreakers(state, task, { failure, now: world.now });
  const agents = tripAgent(state, task, { failure, now: world.now });
  const all = [...opened, ...agents];
  if (isOfNetwork(task, failure, world) && doomOf(state, task) === undefined)
    return withoutNetwork(state, task, { failure, world, opened: all });
  const isOutOfOrder =
    (wait !== undefined || agents.length > 0) && mayTryAgain(state, task, { failure, world });
  if (!isOutOfOrder) {
    return { ended: 'failed', settled: [...tryAgain(state, task, { failure, world }), ...all], failure };
  }
  // The resource is out of order, not the task: waiting for it uses up no try. Of an agent, another may be free.
  const next = wait === undefined ? released(task) : delayed(task, wait);
  return { ended: 'delayed', settled: [next, ...all], failure };
}

/** Whatever the breakers say and whoever failed before: so all that meet the same failure fare the same. */
function withoutNetwork(
  state: RunState,
  task: TaskState,
  { failure, world, opened }: { failure: Classified; world: World; opened: readonly Event[] },
): FailureConsequence {
  const next = afterNetworkFailure(task, { failure, world });
  if (!('lasted' in next)) return { ended: 'delayed', settled: [delayed(task, next), ...opened], failure };
  const last = { ...failure, message: `${failure.message} (${next.lasted})` };
  return { ended: 'failed', settled: [...giveUp(state, task, last), ...opened], failure: last };
}

/** The work did not pass its check: the agent is told, as often as it may be, then it counts as a failure. */
function revise(
  state: RunState,
  task: TaskState,
  { outcome, world }: { outcome: Failed; world: World },
): FailureConsequence {
  const { address, spec, tally } = task;
  const { revisions } = tally;
  const { sameness, report = '' } = outcome;
  const isLast = revisions >= spec.check!.revise || doomOf(state, task) !== undefined;
  const failure = { ...checkFailure(outcome.failure, revisions), class: 'unknown' as const };
  const stuck = isLast ? undefined : noProgress(task, { failure, sameness });
  const isHeld = stuck !== undefined;
  const told: Event = {
    type: 'check.failed',
    task: address,
    data: { report, revision: isLast ? 0 : isHeld ? revisions : revisions + 1, ...(isHeld && { isHeld }) },
  };
  const next = isLast || isHeld ? afterCheck(state, task, { failure, world, sameness, report, stuck }) : [];
  return { ended: 'failed', settled: [told, ...next, ...closeTried(state, task, world.now)], failure };
}

/** There is nothing more to revise, or revising does not help. */
function afterCheck(
  state: RunState,
  task: TaskState,
  { report, stuck, ...trying }: Trying & { readonly report: string; readonly stuck: Event | undefined },
): readonly Event[] {
  const { stage } = task;
  if (conflictOf(stage) !== undefined) return holdConflict(state, task, { failure: trying.failure, report });
  return stuck === undefined ? tryAgain(state, task, trying) : [stuck];
}

/**
 * What others have made is in its files, and its agent has not brought the two together. Its work was good by itself, so it is not
 * done again: a person is asked, who finds the conflict as it is.
 */
function holdConflict(
  state: RunState,
  task: TaskState,
  { failure, report }: { readonly failure: Failure; readonly report: string },
): readonly Event[] {
  const { address, stage, workspace } = task;
  const { files = [] } = conflictOf(stage) ?? {};
  const names = someNames(files);
  const told = `The merge conflict is not resolved yet: ${names}. Bring the two versions together, and leave no conflict markers. What was tried last ended so:\n${report}`;
  const found: Event = { type: 'conflict.found', task: address, data: { files, report: told, revision: 0 } };
  const reason = `its agent did not resolve the conflict in ${names}: ${failure.message} (both sides are in ${workspace?.path})`;
  return [found, heldOrCancelled(state, task, heldForPlace(task, reason, 'MERGE_CONFLICT'))];
}

/** Not the work is at fault, but where it is done or to be brought: doing it again would only be paid for again. */
function isOfPlace(task: TaskState, { code }: Failure): boolean {
  return kindOf(task) === 'integrate' || placeCodes.has(code);
}

const placeCodes: ReadonlySet<string> = new Set([
  'WORKTREE_REFUSED',
  'GIT_FAILED',
  'GIT_MISSING',
  'GIT_TOO_OLD',
  'WORKSPACE_DRIFTED',
  'WORKSPACE_GONE',
  'REMOTE_FAILED',
  'REMOTE_UNKNOWN',
  'REMOTE_UNSUPPORTED',
]);

function holdForPlace(state: RunState, task: TaskState, outcome: Failed): FailureConsequence {
  const { failure, refs } = outcome;
  const next = heldOrCancelled(state, task, heldForPlace(task, failure.message, failure.code));
  const told: Event[] =
    refs === undefined ? [] : [{ type: 'refs.changed', task: task.address, data: { refs } }];
  return { ended: 'failed', settled: [...told, next], failure: { ...failure, class: 'unknown' } };
}

function heldOrCancelled(state: RunState, task: TaskState, held: Event): Event {
  const { address } = task;
  const doom = doomOf(state, task);
  return doom === undefined ? held : { type: 'task.cancelled', task: address, data: { reason: doom } };
}

/**
 * What was merged does not pass the check: with others, fewer are tried; alone, its agent is told, as often as it may be,
 * else a person. The work is not done again: by itself it was good.
 */
function reject(
  state: RunState,
  task: TaskState,
  { outcome, world }: { outcome: Failed; world: World },
): FailureConsequence {
  const { address, spec, tally } = task;
  const { revisions } = tally;
  const { members = [] } = proposalOf(task.stage) ?? {};
  const report = `Brought together with what others have made, it does not pass its check.\n${outcome.report}`;
  const failure = { ...checkFailure(outcome.failure, revisions), class: 'unknown' as const };
  const closed = closeTried(state, task, world.now);
  const most = Math.floor(members.length / 2);
  const rejected: Event = { type: 'merge.rejected', task: address, data: { members, report, most } };
  if (members.length > 0) return { ended: 'failed', settled: [rejected, ...closed], failure };
  const isForAgent = revisions < spec.check!.revise && doomOf(state, task) === undefined;
  const revised: Event = { type: 'check.failed', task: address, data: { report, revision: revisions + 1 } };
  const reason = `with what others have made, ${failure.message}`;
  const held = heldOrCancelled(state, task, heldForPlace(task, reason));
  const settled = isForAgent ? [revised, ...closed] : [rejected, held, ...closed];
  return { ended: 'failed', settled, failure };
}

/** How often an agent may try to resolve a conflict. */
const mostConflicts = 2;

/** The result conflicts with those of others: its agent is told, if it may try, else a person. */
function reconcile(
  state: RunState,
  task: TaskState,
  { outcome, world }: { outcome: Failed; world: World },
): FailureConsequence {
  const { address, spec, tally } = task;
  const { conflicts } = tally;
  const { report = '', conflict: files = [] } = outcome;
  const isAgents = spec.work.type === 'agent' && spec.onConflict === 'agent';
  const isForAgent = isAgents && conflicts < mostConflicts && doomOf(state, task) === undefined;
  const failure = { ...outcome.failure, class: 'unknown' as const };
  const others = broughtInSince(state, task);
  const found: Event = {
    type: 'conflict.found',
    task: address,
    data: {
      files,
      report,
      revision: isForAgent ? conflicts + 1 : 0,
      ...(others.length > 0 && { with: others }),
    },
  };
  const reason = conflictReason(task, { files, others }) ?? failure.message;
  const held = heldOrCancelled(state, task, heldForPlace(task, reason, failure.code));
  const next = isForAgent ? [] : [held];
  return { ended: 'failed', settled: [found, ...next, ...closeTried(state, task, world.now)], failure };
}

function checkFailure({ message, exit }: Failure, revisions: number): Failure {
  const after = revisions === 0 ? '' : ` after ${revisions} revision${revisions === 1 ? '' : 's'}`;
  const text = `its check failed${after}: ${message}`;
  return { code: 'CHECK_FAILED', message: text, retryable: true, ...(exit !== undefined && { exit }) };
}

/** So often the same in the same files, and a person is asked before it is paid for again. */
const mostTheSame = 3;

function noProgress(
  task: TaskState,
  { failure, sameness }: { failure: Failure; sameness: string | undefined },
): Event | undefined {
  if (sameness === undefined || timesTheSame(task, sameness) < mostTheSame) return undefined;
  const reason = `it has failed ${mostTheSame} times in the same way, and no file has changed in between: ${failure.message}`;
  return { type: 'task.held', task: task.address, data: { reason, actions: ['retry', 'skip'] } };
}

function delayed(task: TaskState, data: ResourceWait | { until: number; reason: string }): Event {
  return { type: 'task.delayed', task: task.address, data };
}

function mayTryAgain(
  state: RunState,
  task: TaskState,
  { failure, world }: { failure: Failure; world: World },
): boolean {
  const { onInterrupt, retry } = task.spec;
  return (
    onInterrupt !== 'ask' &&
    doomOf(state, task) === undefined &&
    isRetried(retry, failure, world.evaluator.finds)
  );
}

interface Trying {
  readonly failure: Classified;
  readonly world: World;
  readonly sameness?: string | undefined;
}

function tryAgain(state: RunState, task: TaskState, { failure, world, sameness }: Trying): readonly Event[] {
  const failures = task.tally.failures + 1;
  const delay = mayTryAgain(state, task, { failure, world })
    ? retryDelay(task.spec.retry, { failures, chance: world.chance() })
    : undefined;
  if (delay === undefined) return giveUp(state, task, failure);
  const stuck = noProgress(task, { failure, sameness });
  if (stuck !== undefined) return [stuck];
  const kind = failure.class === 'unknown' ? '' : ` (${failure.class})`;
  const reason = `attempt ${task.attempts} failed${kind}: ${failure.message}`;
  return [delayed(task, { until: world.now + delay, reason })];
}

/** It is not tried again: it has failed, unless all that has failed is to resolve a conflict. */
function giveUp(state: RunState, task: TaskState, failure: Failure): readonly Event[] {
  if (conflictOf(task.stage) !== undefined)
    return holdConflict(state, task, { failure, report: failure.message });
  return [{ type: 'task.failed', task: task.address, data: { failure } }];
}
