import { mentionsFailure, type TaskSpec, type Workflow } from '../model/index.ts';
import {
  adoptWorkflow,
  fieldsAfterWork,
  hasNotBegun,
  isAskedAnew,
  isBegunOtherwise,
  obstaclesIn,
  specOfGroup,
  whyNotNested,
} from './adopt-workflow.ts';
import { changedFields, changedKeys, isSame, writtenName } from './changed-fields.ts';
import { changedForm, judgeKey, type Drift } from './judge-key.ts';
import { gateOf, isSettled } from './life.ts';
import { migrationPath, type MigratedScope } from './migrations.ts';
import { placementOf } from './placement.ts';
import { membersOf } from './recount.ts';
import { scopeAt, taskAt, type RunState, type TaskState } from './run-state.ts';
import { decodeState, encodeState } from './snapshot.ts';
import { finishedOf } from './stage.ts';
import { indexOf } from './workflow-index.ts';

/** How a definition differs from the one the run keeps, field by field. */
export function driftOf(state: RunState, given: Workflow): Drift[] {
  if (given.hash === state.workflow.hash) return [];
  const instances = Map.groupBy(state.tasks.values(), (task) => pathOf(state, task));
  if (given.form !== state.workflow.form) return [changedForm(state.workflow, given)];
  const obstacles = obstaclesIn(state, scopeAt(state, ''), given);
  const found = compare({ state, instances, obstacles, prefix: '' }, state.workflow, given);
  return obstacles.size > 0 ? found : [...found, ...displaced(state, given)];
}

/** How a definition differs from the one that a run keeps, and what follows from that. */
export interface DriftView {
  /** Field by field; empty if it does not differ. */
  readonly drift: readonly Drift[];
  /** What the run does next depends on it: somebody has to choose the definition to continue with. */
  readonly mustChoose: boolean;
  /** The run can go on with the new definition: nothing in it is structural. */
  readonly canAccept: boolean;
  /** The run has an older version, and is migrated when it goes on with this definition: that it does is its author's choice. */
  readonly migration?: { readonly from: number; readonly to: number };
}

export function viewDrift(state: RunState, given: Workflow): DriftView {
  const drift = driftOf(state, given);
  const { status } = state.phase;
  const goesOn = status === 'active' || status === 'paused';
  const canAccept = !drift.some(({ verdict }) => verdict === 'structural');
  const path = migrationPath(state.workflow, given);
  const migration = goesOn && canAccept && path !== undefined && 'steps' in path ? path : undefined;
  const matters = drift.some(({ verdict }) => verdict !== 'harmless' && verdict !== 'settled');
  return {
    drift,
    mustChoose: goesOn && matters && migration === undefined,
    canAccept,
    ...(migration !== undefined && { migration: { from: migration.from, to: migration.to } }),
  };
}

interface Comparison {
  readonly state: RunState;
  /** The tasks of the run by their place in the definition: the items of a for-each and the visits of a node are several. */
  readonly instances: ReadonlyMap<string, readonly TaskState[]>;
  /** What keeps the run itself from going on with it, by name of the task. */
  readonly obstacles: ReadonlyMap<string, string>;
  readonly prefix: string;
  /** Why tasks inside that have begun go on as they were begun, if so. */
  readonly pinned?: string | undefined;
}

function pathOf(state: RunState, { scope, spec }: TaskState): string {
  return scope === '' ? spec.name : `${pathOf(state, taskAt(state, scope))}.${spec.name}`;
}

function compare(comparison: Comparison, before: Workflow, after: Workflow): Drift[] {
  const { prefix } = comparison;
  const [old, now] = [indexOf(before).specs, indexOf(after).specs];
  const path = migrationPath(before, after);
  // That a run is migrated is told by its version.
  const keys = changedKeys(before, after)
    .filter(({ field }) => field !== 'migrations' || path === undefined)
    .map((field) => judgeKey(field, { ...comparison, path }));
  const gone = [...old.keys()].filter((name) => !now.has(name)).map((name) => removed(comparison, name));
  const changed = [...now].flatMap(([name, spec]) => {
    const former = old.get(name);
    return former === undefined ? [added(comparison, name)] : compareTask(comparison, former, spec);
  });
  const owner = prefix.slice(0, -1);
  const named = owner === '' ? keys : keys.map((drift) => ({ task: owner, ...drift }));
  return [...named, ...gone, ...changed];
}

function added({ prefix, pinned }: Comparison, name: string): Drift {
  const task = `${prefix}${name}`;
  const effect = pinned === undefined ? 'it will run, too' : `it will not run: ${pinned}`;
  const verdict = pinned === undefined ? 'applies' : 'under-way';
  return { task, field: 'task', change: 'added', verdict, effect };
}

function removed(comparison: Comparison, name: string): Drift {
  const task = `${comparison.prefix}${name}`;
  const { instances, prefix, obstacles } = comparison;
  const change = { task, field: 'task', change: 'removed' } as const;
  const found = instances.get(task) ?? [];
  const begun = found.filter((one) => !hasNotBegun(one));
  if (begun.length === 0) return { ...change, verdict: 'applies', effect: 'it will not run' };
  const obstacle = prefix === '' ? obstacles.get(name) : undefined;
  if (obstacle !== undefined) return { ...change, verdict: 'structural', effect: obstacle };
  if (begun.every(({ life }) => isSettled(life)))
    return { ...change, verdict: 'settled', effect: 'what it has done stays' };
  return { ...change, verdict: 'under-way', effect: 'it continues as it was started' };
}

function compareTask(comparison: Comparison, before: TaskSpec, after: TaskSpec): Drift[] {
  if (isSame(before, after)) return [];
  const task = `${comparison.prefix}${before.name}`;
  const own = changedFields(before, after).map((field) => ({
    task,
    ...field,
    change: 'changed' as const,
    ...judge(comparison, { task, field: field.field, after }),
  }));
  return [...own, ...compareNested(comparison, before, after)];
}

function compareNested(comparison: Comparison, before: TaskSpec, after: TaskSpec): Drift[] {
  if (before.work.type !== 'workflow' || after.work.type !== 'workflow') return [];
  const task = `${comparison.prefix}${before.name}`;
  const inside = { ...comparison, prefix: `${task}.`, pinned: whyInsidePinned(comparison, task, after) };
  return compare(inside, before.work.workflow, after.work.workflow);
}

/** If not one of those that are open can go on with it. */
function whyInsidePinned(
  { state, instances, pinned }: Comparison,
  task: string,
  after: TaskSpec,
): string | undefined {
  if (pinned !== undefined) return pinned;
  const all = (instances.get(task) ?? []).filter(({ group }) => group === undefined);
  const open = all.filter(({ address, life }) => state.scopes.has(address) && !isSettled(life));
  if (open.length === 0 || open.length < all.filter(({ life }) => !isSettled(life)).length) return undefined;
  const reasons = open.map((owner) => whyNotNested(state, owner, after));
  const reason = reasons.every((one) => one !== undefined) ? reasons[0] : undefined;
  return reason && `what is inside continues as it was started: ${reason}`;
}

interface Changing {
  readonly task: string;
  readonly field: string;
  readonly after: TaskSpec;
}

type Judgement = Pick<Drift, 'verdict' | 'effect'>;

function judge(comparison: Comparison, changing: Changing): Judgement {
  const { instances, obstacles } = comparison;
  const obstacle = changing.field === 'needs' ? obstacles.get(changing.task) : undefined;
  if (obstacle !== undefined) return { verdict: 'structural', effect: obstacle };
  const all = instances.get(changing.task) ?? [];
  const parent = all.find(({ group, life }) => group !== undefined && !isSettled(life));
  if (parent === undefined) return judgeTasks(comparison, all, changing);
  if (isOfGroup(changing.field)) return judgeGroup(parent, changing);
  return judgeTasks(
    comparison,
    all.filter((task) => task !== parent),
    changing,
  );
}

function judgeTasks(
  { state, pinned }: Comparison,
  tasks: readonly TaskState[],
  { field, after }: Changing,
): Judgement {
  const open = tasks.filter(({ life }) => !isSettled(life));
  if (pinned !== undefined && open.length > 0) return { verdict: 'under-way', effect: pinned };
  const underWay = open.filter((task) => !hasNotBegun(task));
  if (underWay.some((task) => isBegunOtherwise(task, after)))
    return { verdict: 'under-way', effect: 'it continues as it was started; applies if it is re-run' };
  if (underWay.length > 0) return { verdict: 'under-way', effect: effectUnderWay(state, underWay, field) };
  if (open.length === tasks.length) return { verdict: 'applies', effect: effectBefore(open, after) };
  if (open.length > 0 || isVisitedAgain(state, tasks[0]!))
    return { verdict: 'applies', effect: 'applies to those that have not begun' };
  return field === 'needs' && isLookedThrough(state, tasks[0]!)
    ? {
        verdict: 'applies',
        effect: 'its result stays; failure() of what comes after it looks at what it needs now',
      }
    : judgeSettled(field);
}

function effectBefore(tasks: readonly TaskState[], after: TaskSpec): string {
  const asksAgain = tasks.some(
    ({ approved, life, spec }) => (approved || gateOf(life) !== undefined) && isAskedAnew(spec, after),
  );
  return asksAgain ? 'applies when it begins; you are asked again first' : 'applies when it begins';
}

/** Conditions of tasks that are still to be decided upon see whether anything that came before has failed. */
function isLookedThrough(state: RunState, { scope }: TaskState): boolean {
  return membersOf(state, scopeAt(state, scope)).some(
    ({ life, spec }) => !isSettled(life) && mentionsFailure(spec.if),
  );
}

/** A node of a graph that has not come to its end. */
function isVisitedAgain(state: RunState, { scope, item }: TaskState): boolean {
  return item === undefined && scopeAt(state, scope).graph?.ended === false;
}

const limitsOfGroup = ['for-each.max-parallel', 'for-each.max-failures', 'for-each.fail-fast'];

/** How it was done, not what: another value would not have given another result. */
const ofNoMatterOnceSettled = new Set([
  'timeout',
  'retry',
  'priority',
  'locks',
  'repository-locks',
  'writes',
  'on-interrupt',
  'on-conflict',
  'approval',
  'resources',
  'errors',
  'sandbox',
  'network',
  'pool',
  'setup',
  ...limitsOfGroup,
  'idle-timeout',
  'max-turns',
  'budget',
  'secrets',
  'continue-on-error',
]);

function judgeSettled(field: string): Judgement {
  return ofNoMatterOnceSettled.has(field)
    ? { verdict: 'harmless', effect: 'it has ended' }
    : { verdict: 'settled', effect: 'its result stays; applies if it is re-run' };
}

function isOfGroup(field: string): boolean {
  return field.startsWith('for-each.') || field === 'pool';
}

function judgeGroup(parent: TaskState, { field, after }: Changing): Judgement {
  if (specOfGroup(parent, after) === undefined)
    return {
      verdict: 'under-way',
      effect: 'its items continue as they were started; applies if it is re-run',
    };
  return limitsOfGroup.includes(field)
    ? { verdict: 'applies', effect: 'from now on' }
    : { verdict: 'under-way', effect: 'its items are known already; applies if it is re-run' };
}

/** What has been asked or decided before it began. */
const decidedBefore = new Set(['if', 'approval', 'needs', 'session', 'workspace', 'setup', 'pool']);
const afterWork = new Set(['check', ...fieldsAfterWork.map(writtenName)]);

function effectUnderWay(state: RunState, tasks: readonly TaskState[], field: string): string {
  const isOpen = tasks.some(({ address }) => state.scopes.has(address));
  if (isOpen && field === 'with') return 'its inputs are set; applies if it is re-run';
  if (decidedBefore.has(field)) return 'was decided before it began; applies if it is re-run';
  if (tasks.some(({ stage }) => finishedOf(stage) !== undefined) && !afterWork.has(field))
    return 'its work is finished; applies if it is re-run';
  if (field === 'prompt' && tasks.some(({ conversation }) => conversation.session !== undefined))
    return 'its conversation continues, and piton tell tells its agent; applies if it is re-run';
  const isAtWork = tasks.some(({ life }) => life.status === 'running' && life.attempt !== undefined);
  return isAtWork
    ? 'an attempt that is running finishes as it was started; applies to the next'
    : 'applies to its next attempt';
}

/** The state of a run after it has accepted another definition; the given one is not changed. */
export function adopted(state: RunState, given: Workflow, migrated: readonly MigratedScope[] = []): RunState {
  const after = decodeState(encodeState(state));
  adoptWorkflow(after, given, migrated);
  return after;
}

/** Tasks that have begun, and would work somewhere else with the new definition: found by trying. */
function displaced(state: RunState, given: Workflow): Drift[] {
  const after = adopted(state, given);
  return [...state.tasks.values()]
    .filter((task) => !isSettled(task.life) && !hasNotBegun(task))
    .filter((task) => !isSame(placementOf(state, task), placementOf(after, taskAt(after, task.address))))
    .map(({ address, spec }) => ({
      task: address,
      field: 'workspace',
      before: placementOf(state, { ...taskAt(state, address), spec }).mode,
      after: placementOf(after, taskAt(after, address)).mode,
      change: 'changed',
      verdict: 'structural',
      effect: 'it has begun, and would work in another place: re-run it (--redo)',
    }));
}
