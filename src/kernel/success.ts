import { isPlainObject, PitonError, type JsonObject } from '../base/index.ts';
import type { Event, Patch } from '../model/index.ts';
import { failureOf } from './failure-of.ts';
import { difference } from './difference.ts';
import { scopeAt, type RunState, type TaskState } from './run-state.ts';
import { outputsOfItems, variablesOf } from './variables.ts';
import type { Success } from './succeeded.ts';
import type { World } from './world.ts';

/** What is recorded when a task succeeds; for a node of a graph also what that changes in the state. */
export function successEvents(
  state: RunState,
  task: TaskState,
  { success, world }: { success: Success; world: World },
): Event[] {
  const { output } = success;
  const succeeded: Event = {
    type: 'task.succeeded',
    task: task.address,
    data: output === undefined ? {} : { output },
  };
  const { graph, owner } = scopeAt(state, task.scope);
  if (graph === undefined || task.item !== undefined) return [succeeded];
  try {
    const patch = patchOf(graph.state, updateOf(state, task, { success, world }));
    if (patch.length === 0) return [succeeded];
    assertFits(patch, world.maxOutputBytes);
    return [{ type: 'state.updated', ...(owner !== '' && { task: owner }), data: { patch } }, succeeded];
  } catch (thrown) {
    return [{ type: 'task.failed', task: task.address, data: { failure: failureOf(thrown, world) } }];
  }
}

/**
 * Unless `update` says otherwise, what a function or a nested workflow gives is what it changes. What a command prints is
 * not meant so, nor what a person answers, nor a list of outputs, of a for-each.
 */
function updateOf(
  state: RunState,
  task: TaskState,
  { success, world }: { success: Success; world: World },
): unknown {
  const { update } = task.spec;
  const { type } = task.spec.work;
  const isUpdate = task.group === undefined && type !== 'command' && type !== 'ask';
  if (update === undefined) return isUpdate ? (success.update ?? success.output) : undefined;
  const output =
    task.group === undefined ? (success.output ?? success.update) : outputsOfItems(state, task.group);
  return world.evaluator.render(update, { ...variablesOf(state, task), output });
}

function patchOf(before: JsonObject, update: unknown): Patch {
  if (update === undefined || update === null) return [];
  if (!isPlainObject(update))
    throw new TypeError('what a node changes in the state must be given as an object');
  return difference(before, { ...before, ...update }).patch;
}

function assertFits(patch: Patch, limit: number): void {
  if (isSmall(patch, limit)) return;
  const bytes = JSON.stringify(patch).length;
  if (bytes <= limit) return;
  throw new PitonError(
    'OUTPUT_TOO_LARGE',
    `The change of the state is ${bytes} bytes long, more than the ${limit} allowed.`,
    {
      remedy: 'Keep big data in files or a store of your own and only its name in the state.',
    },
  );
}

/** Nearly every step sets a few short values: to see that these fit, they need not be written out. */
function isSmall(patch: Patch, limit: number): boolean {
  let most = 0;
  for (const operation of patch) {
    if (operation.op !== 'set' || (typeof operation.value === 'object' && operation.value !== null))
      return false;
    most += 64 + mostBytes(operation.value);
    for (const key of operation.path) most += mostBytes(key);
  }
  return most <= limit;
}

/** In JSON no character becomes longer than six, and nothing else that is not a text longer than 32. */
function mostBytes(value: string | number | boolean | null): number {
  return typeof value === 'string' ? value.length * 6 + 4 : 32;
}
