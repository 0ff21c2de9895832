import { freezeParsed, hashJson, isPlainObject, nearest, PitonError, type Json } from '../base/index.ts';
import { isFunctionRef, type Dynamic, type TaskSpec, type Workflow } from '../model/index.ts';
import { readsOfSites } from './define/check-reads.ts';
import { valueSites } from './define/expression-sites.ts';

/** A part of a workflow, by the names of its own tasks. */
export interface Selection {
  /** These alone; what they need counts as met. */
  readonly only?: readonly string[] | undefined;
  /** These and all that they need, directly or not. */
  readonly until?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
}

/**
 * The workflow without the tasks that are not selected: a definition of its own, in the same order. Who needed a task
 * that is left out needs what that one needed. Throws `TASK_UNKNOWN`, and `SELECTION_INVALID` where a task would read
 * one that is left out.
 */
export function selectTasks(workflow: Workflow, selection: Selection): Workflow {
  const { only = [], until = [], skip = [] } = selection;
  if (only.length + until.length + skip.length === 0) return workflow;
  if (workflow.form === 'graph') throw graphError(workflow);
  const tasks = new Map(workflow.tasks.map((task) => [task.name, task]));
  for (const name of [...only, ...until, ...skip]) if (!tasks.has(name)) throw unknownTask(name, tasks);
  const kept = keptTasks(tasks, { only, until, skip });
  if (kept.size === tasks.size) return workflow;
  assertSomethingLeft(tasks, kept);
  assertReadable(workflow, kept);
  return withTasks(workflow, bridgeNeeds(tasks, kept));
}

type Tasks = ReadonlyMap<string, TaskSpec>;

function keptTasks(tasks: Tasks, { only, until, skip }: Required<Selection>): ReadonlySet<string> {
  const chosen = new Set(until);
  // A set that grows while it is iterated is iterated to its end.
  for (const name of chosen) for (const need of tasks.get(name)!.needs) chosen.add(need);
  for (const name of only ?? []) chosen.add(name);
  const kept = chosen.size === 0 ? new Set(tasks.keys()) : chosen;
  for (const name of skip ?? []) kept.delete(name);
  return kept;
}

function assertSomethingLeft(tasks: Tasks, kept: ReadonlySet<string>): void {
  if (kept.size === 0)
    throw invalid('With this selection nothing is left to do.', 'Select at least one task.');
  if ([...kept].some((name) => tasks.get(name)!.work.type !== 'deliver')) return;
  throw invalid(
    'With this selection nothing is made that could be delivered.',
    'Select other tasks too; what an earlier run has made is delivered by piton pr.',
  );
}

function assertReadable({ tasks }: Workflow, kept: ReadonlySet<string>): void {
  const pairs = tasks
    .filter(({ name }) => kept.has(name))
    .flatMap((task) => usesOf(task).filter(({ read }) => !kept.has(read)));
  if (pairs.length === 0) return;
  const list = pairs.map(({ name, read, how }) => `\`${name}\` ${how} \`${read}\``).join(', ');
  const missing = [...new Set(pairs.map(({ read }) => read))].join(',');
  const readers = [...new Set(pairs.map(({ name }) => name))].join(',');
  throw invalid(
    `The selection leaves out what is used: ${list}.`,
    `Select ${missing} too, or leave out ${readers} as well.`,
    { pairs: pairs.map(({ name, read }) => ({ name, read })) },
  );
}

/** Other tasks without which this one cannot be done: whose outputs, or whose session, it uses. */
function usesOf({ name, reads, work }: TaskSpec): { name: string; read: string; how: string }[] {
  const { session } = work.type === 'agent' ? work : {};
  const sessions = session === undefined ? [] : Object.values(session);
  return [
    ...reads.map((read) => ({ name, read, how: 'reads' })),
    ...sessions.map((read) => ({ name, read, how: 'goes on in the session of' })),
  ];
}

/** The order among those that are kept stays what it was. */
function bridgeNeeds(tasks: Tasks, kept: ReadonlySet<string>): TaskSpec[] {
  return [...tasks.values()]
    .filter(({ name }) => kept.has(name))
    .map((task) => {
      const found = new Set(task.needs);
      for (const need of found) {
        if (!kept.has(need)) for (const further of tasks.get(need)!.needs) found.add(further);
      }
      return { ...task, needs: [...found].filter((need) => kept.has(need)) };
    });
}

function withTasks(workflow: Workflow, tasks: readonly TaskSpec[]): Workflow {
  const { hash: _, outputs, ...rest } = workflow;
  const kept = new Set(tasks.map(({ name }) => name));
  const left = readableOutputs(outputs, kept);
  const body = { ...rest, tasks, ...(left === undefined ? {} : { outputs: left }) };
  return freezeParsed({ ...body, hash: hashJson(body as unknown as Json) });
}

/** Nobody knows what a closure reads. */
function readableOutputs(outputs: Dynamic | undefined, kept: ReadonlySet<string>): Dynamic | undefined {
  if (outputs === undefined || isFunctionRef(outputs)) return undefined;
  if (!isPlainObject(outputs)) return isReadable(outputs, kept) ? outputs : undefined;
  const left = Object.entries(outputs as Record<string, Json>).filter(([, value]) => isReadable(value, kept));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

function isReadable(value: Json, kept: ReadonlySet<string>): boolean {
  const { reads } = readsOfSites(valueSites(value, 'outputs', []), new Set());
  return reads.every(({ name }) => kept.has(name));
}

function unknownTask(name: string, tasks: Tasks): PitonError {
  const similar = nearest(name, tasks.keys());
  return new PitonError('TASK_UNKNOWN', `There is no task \`${name}\` in the workflow.`, {
    task: name,
    remedy:
      similar === undefined
        ? `Its tasks are: ${[...tasks.keys()].join(', ')}.`
        : `Did you mean \`${similar}\`?`,
  });
}

function graphError({ name }: Workflow): PitonError {
  return invalid(
    `\`${name}\` is a graph, of which no part can be run by itself: what comes next depends on what came before.`,
    'Run all of it.',
  );
}

function invalid(message: string, remedy: string, details: object = {}): PitonError {
  return new PitonError('SELECTION_INVALID', message, { ...details, remedy });
}
