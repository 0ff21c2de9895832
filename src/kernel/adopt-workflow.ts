import type { TaskSpec, Workflow } from '../model/index.ts';
import { isSame } from './changed-fields.ts';
import { gateOf, isSettled } from './life.ts';
import { addTaskOfScope } from './new-tasks.ts';
import { applyMigrations, migratesInputs, migrationPath, type MigratedScope } from './migrations.ts';
import { placementOf } from './placement.ts';
import { rebuildAgenda } from './rebuild-agenda.ts';
import { recountNeeds } from './recount.ts';
import { addressOf, scopeAt, taskAt, type RunState, type ScopeState, type TaskState } from './run-state.ts';
import { setLife } from './settle-task.ts';
import { finishedOf } from './stage.ts';
import { forgetViews } from './variables.ts';
import { indexOf } from './workflow-index.ts';

/**
 * Goes on with another definition. Every task has the spec it goes by (`TaskState.spec`), which need not be that of the definition
 * any more: one that has settled keeps the one it was done by until it is re-run, one that is under way until its attempt has ended.
 */
export function adoptWorkflow(
  state: RunState,
  workflow: Workflow,
  migrated: readonly MigratedScope[] = [],
): void {
  applyMigrations(state, migrated);
  state.workflow = workflow;
  adoptScope(state, scopeAt(state, ''), workflow);
  for (const scope of state.scopes.values()) forgetViews(scope);
  rebuildAgenda(state);
}

function adoptScope(state: RunState, scope: ScopeState, workflow: Workflow): void {
  scope.workflow = workflow;
  scope.inputs = withDefaults(workflow, scope);
  if (scope.graph !== undefined) {
    scope.graph.state = { ...workflow.graph!.state, ...scope.graph.state };
    return adoptVisits(state, scope);
  }
  const { specs } = indexOf(workflow);
  for (const task of tasksOf(state, scope)) {
    const defined = specs.get(task.spec.name);
    if (defined !== undefined) adoptSpec(state, task, defined);
    else if (hasNotBegun(task)) removeTask(state, task);
  }
  for (const spec of workflow.tasks) {
    if (!state.tasks.has(addressOf(scope.owner, spec.name))) addTaskOfScope(state, scope, spec);
  }
  const members = workflow.tasks.map(({ name }) => taskAt(state, addressOf(scope.owner, name)));
  recountNeeds(state, members);
  scope.unsettled = members.filter(({ life }) => !isSettled(life)).length;
}

/** Inputs that were added have their default: nobody was asked for them when the run was started. */
function withDefaults({ inputs }: Workflow, scope: ScopeState): ScopeState['inputs'] {
  const defaults = Object.entries(inputs).flatMap(([name, { default: value }]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(defaults), ...scope.inputs };
}

/** Only the last visit of a graph can still go on; those before it have settled. */
function adoptVisits(state: RunState, scope: ScopeState): void {
  const { specs } = indexOf(scope.workflow);
  for (const visit of tasksOf(state, scope)) {
    const defined = specs.get(visit.spec.name);
    if (defined !== undefined) adoptSpec(state, visit, defined);
  }
}

/** The tasks of a scope themselves, without items. */
function tasksOf(state: RunState, { owner }: ScopeState): TaskState[] {
  return [...state.tasks.values()].filter(({ scope, item }) => scope === owner && item === undefined);
}

function removeTask(state: RunState, task: TaskState): void {
  setLife(state, task, { status: 'pending' });
  state.tasks.delete(task.address);
  state.counts.total--;
}

function adoptSpec(state: RunState, task: TaskState, defined: TaskSpec): void {
  if (isSame(task.spec, defined)) shareSpec(state, task, defined);
  else if (hasNotBegun(task)) {
    if (isAskedAnew(task.spec, defined)) withdrawGate(state, task);
    task.spec = specForNextAttempt(state, task, defined);
  }
  // Who depends on whom is a matter of the definition, whatever has become of the tasks.
  else if (isSettled(task.life)) task.spec = withNeedsOf(defined, task.spec);
  else if (task.group !== undefined) adoptGroup(state, task, defined);
  else if (state.scopes.has(task.address)) adoptNested(state, task, defined);
  else if (task.life.status !== 'running') adoptBetweenAttempts(state, task, defined);
}

/** What a function has asked is no question of other work; what an agent asks for is said in full, and stays. */
function adoptBetweenAttempts(state: RunState, task: TaskState, defined: TaskSpec): void {
  const next = specForNextAttempt(state, task, defined);
  const asksStill = gateOf(task.life)?.question === undefined || isSame(task.spec.work, next.work);
  if (!asksStill) setLife(state, task, { status: 'pending' });
  task.spec = next;
}

/** Whoever was asked, or has agreed already, was shown another task: it is asked again, by a gate of its own. */
function withdrawGate(state: RunState, task: TaskState): void {
  task.approved = false;
  if (gateOf(task.life) !== undefined) setLife(state, task, { status: 'pending' });
}

/** How a task is done, not what: nobody is asked again because of these. */
const notAsked = ['timeoutMs', 'retry', 'priority', 'locks', 'repositoryLocks', 'forEach'] as const;

/** Whether an approval or answer to the one is none to the other. */
export function isAskedAnew(before: TaskSpec, after: TaskSpec): boolean {
  const asBefore = Object.fromEntries(notAsked.map((name) => [name, before[name]]));
  return !isSame(before, overlaid(after, asBefore));
}

/** The same in other words: nobody is to take it for another. */
function shareSpec(state: RunState, task: TaskState, defined: TaskSpec): void {
  const items = (task.group?.items ?? []).map((address) => taskAt(state, address));
  for (const item of items) if (item.spec === task.spec) item.spec = defined;
  task.spec = defined;
}

function withNeedsOf(defined: TaskSpec, spec: TaskSpec): TaskSpec {
  return isSame(defined.needs, spec.needs) ? spec : { ...spec, needs: defined.needs };
}

/** What the items are is decided; what is done for each of them is theirs, one by one. */
function adoptGroup(state: RunState, task: TaskState, defined: TaskSpec): void {
  const spec = specOfGroup(task, defined);
  if (spec === undefined) return;
  task.spec = spec;
  for (const item of task.group!.items) adoptSpec(state, taskAt(state, item), spec);
}

/** Undefined: its items cannot go on with that. */
export function specOfGroup({ spec }: Pick<TaskState, 'spec'>, defined: TaskSpec): TaskSpec | undefined {
  const [before, after] = [spec.forEach, defined.forEach];
  if (after === undefined || before?.as !== after.as || before.matrix !== after.matrix) return undefined;
  const { in: list, key: _, ...rest } = { ...after, in: before.in };
  const forEach = { ...rest, in: list, ...(before.key !== undefined && { key: before.key }) };
  return overlaid(defined, { forEach, pool: spec.pool });
}

function adoptNested(state: RunState, task: TaskState, defined: TaskSpec): void {
  if (whyNotNested(state, task, defined) !== undefined) return;
  task.spec = defined;
  if (defined.work.type === 'workflow')
    adoptScope(state, scopeAt(state, task.address), defined.work.workflow);
}

/** Why the tasks inside of an open task go on as they were begun, if they do. */
export function whyNotNested(state: RunState, task: TaskState, defined: TaskSpec): string | undefined {
  const { work } = defined;
  const before = task.spec.work;
  if (work.type !== 'workflow' || before.type !== 'workflow') return 'it is another kind of task now';
  if (work.inherits !== before.inherits) return 'it has inputs of its own only in one of the two';
  return whyNotScope(state, scopeAt(state, task.address), work.workflow);
}

/** Why a scope that is open cannot go on with another definition; undefined if it can. */
export function whyNotScope(state: RunState, scope: ScopeState, given: Workflow): string | undefined {
  const path = migrationPath(scope.workflow, given);
  if (path !== undefined && 'reason' in path) return path.reason;
  const reasons = obstaclesIn(state, scope, given);
  return reasons.values().next().value;
}

/** What keeps a scope from going on with another definition: by name of the task, '' for the scope itself. */
export function obstaclesIn(
  state: RunState,
  scope: ScopeState,
  given: Workflow,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (given.form !== scope.workflow.form)
    return found.set('', 'a run cannot change between tasks and a graph');
  // What a migration gives is looked at when it was run.
  const missing = migratesInputs(scope.workflow, given)
    ? undefined
    : Object.keys(given.inputs).find((name) => isMissing(given, scope, name));
  if (missing !== undefined) found.set('', `the run has no value for the input ${missing}`);
  const { specs } = indexOf(given);
  const tasks = scope.graph === undefined ? tasksOf(state, scope) : lastVisit(state, scope);
  for (const task of tasks) {
    const reason = obstacleOf(task, specs.get(task.spec.name));
    if (reason !== undefined) found.set(task.spec.name, reason);
  }
  return found;
}

function isMissing({ inputs }: Workflow, scope: ScopeState, name: string): boolean {
  const { required, default: value } = inputs[name]!;
  return required && value === undefined && scope.inputs[name] === undefined;
}

function lastVisit(state: RunState, { graph }: ScopeState): TaskState[] {
  return graph?.visit === undefined ? [] : [taskAt(state, graph.visit)];
}

function obstacleOf(task: TaskState, defined: TaskSpec | undefined): string | undefined {
  if (hasNotBegun(task)) return undefined;
  const { status } = task.life;
  if (defined === undefined) {
    if (status === 'failed' && !task.spec.continueOnError)
      return 'it has failed, and would still fail the run: skip it first (piton skip)';
    return isSettled(task.life)
      ? undefined
      : 'it has begun and not ended: restore it, or skip it first (piton skip)';
  }
  if (isSettled(task.life)) return undefined;
  return isSame(task.spec.needs, defined.needs)
    ? undefined
    : 'it has begun with other needs: restore them, or re-run it (--redo)';
}

/** Nothing of it has been done: what asks for approval, or waits for its turn, has not begun. */
export function hasNotBegun({ life, key }: TaskState): boolean {
  return key === undefined && life.status !== 'running' && !isSettled(life);
}

/** Goes by the definition again, as far as that is possible in the middle of it. Called when an attempt has ended and another may follow. */
export function renewSpec(state: RunState, task: TaskState): TaskState {
  const defined = definedSpec(state, task);
  if (defined !== undefined && task.spec !== defined && !isSettled(task.life))
    task.spec = specForNextAttempt(state, task, defined);
  return task;
}

/** What the definition says now of a task; of an item, its for-each does. Undefined: it is not in it any more. */
export function definedSpec(state: RunState, { item, scope, spec }: TaskState): TaskSpec | undefined {
  if (item !== undefined) return taskAt(state, item.parent).spec;
  return indexOf(scopeAt(state, scope).workflow).specs.get(spec.name);
}

/** What still counts for a task that has finished its work, and is yet to be checked or merged. */
export const fieldsAfterWork = [
  'retry',
  'timeoutMs',
  'continueOnError',
  'priority',
  'locks',
  'repositoryLocks',
  'onInterrupt',
  'onConflict',
  'resources',
  'errors',
] as const satisfies readonly (keyof TaskSpec)[];

/** Of a task whose place has been made. */
const ofPlace = ['workspace', 'setup', 'pool'] as const satisfies readonly (keyof TaskSpec)[];

/** The definition, but for what belongs to the place, the conversation or the results that the task has already. */
export function specForNextAttempt(state: RunState, task: TaskState, defined: TaskSpec): TaskSpec {
  const { spec, stage, workspace, conversation } = task;
  if (isSame(spec, defined)) return defined;
  if (finishedOf(stage) !== undefined) return withFinishedWork(spec, defined);
  if (isBegunOtherwise(task, defined)) return spec;
  const hasSpoken = hasConversation(conversation);
  if (!hasSpoken && workspace === undefined) return defined;
  const placed = workspace === undefined ? defined : withPlaceOf(spec, defined);
  const next = hasSpoken ? overlaid(placed, { work: withSessionOf(spec, defined) }) : placed;
  return isPlacedOtherwise(state, task, next) ? spec : next;
}

/** What is in a conversation stays the work of an agent; a question, or a list of items, is decided about before it begins. */
export function isBegunOtherwise(task: TaskState, defined: TaskSpec): boolean {
  const { key, item, spec, conversation } = task;
  if (hasConversation(conversation) && defined.work.type !== spec.work.type) return true;
  if (key === undefined) return false;
  const becomesQuestion = defined.work.type === 'ask' && spec.work.type !== 'ask';
  return becomesQuestion || (item === undefined && defined.forEach !== undefined);
}

function hasConversation({ lastEnd, session }: TaskState['conversation']): boolean {
  return lastEnd !== undefined || session !== undefined;
}

function withPlaceOf(spec: TaskSpec, defined: TaskSpec): TaskSpec {
  return overlaid(defined, Object.fromEntries(ofPlace.map((name) => [name, spec[name]])));
}

function withFinishedWork(spec: TaskSpec, defined: TaskSpec): TaskSpec {
  const taken = Object.fromEntries(fieldsAfterWork.map((name) => [name, defined[name]]));
  const hasCheck = spec.check !== undefined && defined.check !== undefined;
  return overlaid(spec, { ...taken, ...(hasCheck && { check: defined.check }) });
}

function withSessionOf({ work: before }: TaskSpec, { work }: TaskSpec): TaskSpec['work'] {
  if (work.type !== 'agent' || before.type !== 'agent') return work;
  const { session: _, ...rest } = work;
  return before.session === undefined ? rest : { ...rest, session: before.session };
}

function isPlacedOtherwise(state: RunState, task: TaskState, spec: TaskSpec): boolean {
  return !isSame(placementOf(state, { ...task, spec }), placementOf(state, task));
}

/** With these fields instead; those that are undefined are not there. */
function overlaid(spec: TaskSpec, fields: Readonly<Partial<Record<keyof TaskSpec, unknown>>>): TaskSpec {
  const all = Object.entries({ ...spec, ...fields }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(all) as unknown as TaskSpec;
}
