import type { EventOf } from '../model/index.ts';
import { renewSpec } from './adopt-workflow.ts';
import { noConversation } from './conversation.ts';
import { noteProgress } from './beliefs.ts';
import { leaveSlot } from './holdings.ts';
import { isStanding } from './places-to-clean.ts';
import { rebuildAgenda } from './rebuild-agenda.ts';
import { recountAll, recountGroup, recountScope } from './recount.ts';
import { scopeAt, taskAt, type RunState, type TaskState } from './run-state.ts';
import { workStage } from './stage.ts';
import { newTally } from './tally.ts';
import { forgetViews } from './variables.ts';

/** Folds `tasks.reopened`: afterwards everything is as if what is to be done again had never been done. */
export function reopenTasks(
  state: RunState,
  { tasks, continued, inSession = [] }: Omit<EventOf<'tasks.reopened'>['data'], 'reason'>,
): void {
  removeBelow(state, new Set(tasks));
  const reset = tasks.map((address) => taskAt(state, address));
  const goingOn = continued.map((address) => taskAt(state, address));
  for (const task of reset) {
    const keepsSession = inSession.includes(task.address);
    leaveSlot(state, task);
    // It will be made again, and counts from now on.
    if (keepsSession && task.workspace !== undefined && !isStanding(task.workspace)) state.counts.places++;
    resetTask(task, keepsSession);
    renewSpec(state, task);
    noteProgress(state, task);
  }
  for (const task of goingOn) {
    task.life = { status: 'running' };
    noteProgress(state, task);
    delete task.endedAt;
    delete task.endedIn;
  }
  recount(state, [...reset, ...goingOn]);
  if (state.phase.status !== 'paused') state.phase = { status: 'active' };
  rebuildAgenda(state);
}

function removeBelow(state: RunState, owners: ReadonlySet<string>): void {
  const { tasks, scopes, pools } = state;
  for (const address of reachBelow(state, owners)) {
    scopes.delete(address);
    delete pools[address];
    if (!owners.has(address)) tasks.delete(address);
  }
}

/**
 * Owners come before what they own, so one pass finds everything. Whatever takes the addresses of those that go must not find
 * their places and branches: it begins a generation after all of them.
 */
function reachBelow(state: RunState, owners: ReadonlySet<string>): Iterable<string> {
  const ownerOf = new Map([...owners].map((address) => [address, address]));
  for (const { address, item, scope, generation = 0 } of state.tasks.values()) {
    const above = ownerOf.get(item?.parent ?? scope) ?? ownerOf.get(scope);
    if (above === undefined || owners.has(address)) continue;
    ownerOf.set(address, above);
    const owner = taskAt(state, above);
    owner.generation = Math.max(owner.generation ?? 0, generation + 1);
  }
  return ownerOf.keys();
}

const beginnings = ['key', 'answers', 'startedAt', 'endedAt', 'endedIn', 'group', 'slot'] as const;

/** Its attempts are still numbered on, for people. */
function resetTask(task: TaskState, keepsSession: boolean): void {
  Object.assign(task, {
    life: { status: 'pending' },
    stage: keepsSession && task.stage.name === 'revise' ? task.stage : workStage,
    tally: newTally,
    approved: false,
  } satisfies Partial<TaskState>);
  for (const known of beginnings) delete task[known];
  if (task.workspace !== undefined) {
    const { integrated: _, cleaned: __, ...place } = task.workspace;
    task.workspace = place;
  }
  if (keepsSession) return;
  task.conversation = noConversation;
  delete task.workspace;
  if (task.lastAttempt !== undefined) task.generation = (task.generation ?? 0) + 1;
}

function recount(state: RunState, changed: readonly TaskState[]): void {
  for (const { address, item, scope } of changed) {
    const { graph } = scopeAt(state, scope);
    if (graph !== undefined && item === undefined && graph.visit === address) graph.ended = false;
  }
  const owners = new Set(changed.flatMap(({ address, scope }) => [address, scope]));
  for (const owner of owners) {
    const scope = state.scopes.get(owner);
    if (scope !== undefined) recountScope(state, scope);
  }
  const groups = new Set(changed.flatMap(({ address, item }) => [address, item?.parent ?? address]));
  for (const address of groups) {
    const task = taskAt(state, address);
    if (task.group !== undefined) recountGroup(state, task);
  }
  for (const scope of state.scopes.values()) forgetViews(scope);
  recountAll(state);
}
