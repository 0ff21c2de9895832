/** What a run's state counts as it goes along, counted again by a look at every task. */
import { isGroup, isSettled, type RunState, type TaskState } from '../../src/kernel/index.ts';

type Scope = RunState['scopes'] extends Map<string, infer Found> ? Found : never;

/** Everything that is not as a look at every task says, in words. */
export function miscounts(state: RunState): string[] {
  const tasks = [...state.tasks.values()];
  return [
    ...compare('the run', { ...state.counts, made: 0 }, { ...countsOf(state), made: 0 }),
    ...[...state.scopes.values()].flatMap((scope) => miscountsOfScope(tasks, scope)),
    ...tasks.flatMap((task) => miscountsOfTask(state, task)),
  ];
}

function compare(where: string, counted: object, expected: object): string[] {
  const [a, b] = [JSON.stringify(counted), JSON.stringify(expected)];
  return a === b ? [] : [`${where}: ${a} instead of ${b}`];
}

function countsOf(state: RunState): RunState['counts'] {
  const tasks = [...state.tasks.values()];
  const lives = tasks.map(({ life }) => life);
  const counted = tasks.filter((task) => !isGroup(state, task));
  return {
    total: counted.length,
    made: 0,
    settled: counted.filter(({ life }) => isSettled(life)).length,
    running: lives.filter((life) => life.status === 'running' && life.attempt !== undefined).length,
    held: lives.filter(({ status }) => status === 'held').length,
    delayed: lives.filter(({ status }) => status === 'delayed').length,
    places: tasks.filter(({ workspace }) => workspace !== undefined).length,
  };
}

function failureCounts({ life, spec }: TaskState): boolean {
  return life.status === 'failed' && !spec.continueOnError;
}

function miscountsOfScope(tasks: readonly TaskState[], scope: Scope): string[] {
  const where = `the scope of ${scope.owner || 'the run'}`;
  const members = tasks.filter(({ scope: owner, item }) => owner === scope.owner && item === undefined);
  const unsettled = members.filter(({ life }) => !isSettled(life)).length;
  return [
    ...compare(where, { unsettled: scope.unsettled }, { unsettled }),
    ...compare(where, { failed: scope.failed }, { failed: failedAmong(members, scope) }),
    ...compare(
      where,
      { isStopping: scope.cancelling !== undefined },
      { isStopping: isStopping(members, scope) },
    ),
  ];
}

/** A graph goes its own ways after a failure. */
function failedAmong(members: readonly TaskState[], { graph, failed }: Scope): string | undefined {
  const ended = members.filter((task) => failureCounts(task) || task.life.status === 'cancelled');
  if (graph !== undefined || ended.length === 0) return undefined;
  const earliest = Math.min(...ended.map(({ endedIn }) => endedIn!));
  const first = ended.filter(({ endedIn }) => endedIn === earliest).map(({ address }) => address);
  return failed !== undefined && first.includes(failed) ? failed : first.join(' or ');
}

function isStopping(members: readonly TaskState[], { cancelling, graph, workflow }: Scope): boolean {
  if (cancelling?.failFast === false) return true;
  return graph === undefined && workflow.failFast && members.some(failureCounts);
}

function miscountsOfTask(state: RunState, task: TaskState): string[] {
  const { address, unmet, needFailed, ancestorFailed, group, item } = task;
  const found =
    item === undefined ? compare(address, { unmet, needFailed, ancestorFailed }, needsOf(state, task)) : [];
  if (group === undefined) return found;
  const items = group.items.map((name) => state.tasks.get(name)!);
  const expected = {
    unsettled: items.filter(({ life }) => !isSettled(life)).length,
    failed: items.filter((one) => failureCounts(one) || one.life.status === 'cancelled').length,
  };
  return [
    ...found,
    ...compare(`items of ${address}`, { unsettled: group.unsettled, failed: group.failed }, expected),
  ];
}

function needsOf(state: RunState, task: TaskState): object {
  const needs = settledNeeds(state, task);
  return {
    unmet: task.spec.needs.length - needs.length,
    needFailed: needs.some(
      (need) => failureCounts(need) || ['skipped', 'cancelled'].includes(need.life.status),
    ),
    ancestorFailed: hasFailedAncestor(state, task),
  };
}

function settledNeeds(state: RunState, { scope, spec }: TaskState): TaskState[] {
  return spec.needs
    .map((name) => state.tasks.get(scope === '' ? name : `${scope}.${name}`)!)
    .filter(({ life }) => isSettled(life));
}

function hasFailedAncestor(state: RunState, task: TaskState): boolean {
  return settledNeeds(state, task).some((need) => failureCounts(need) || hasFailedAncestor(state, need));
}
