import { canonicalJson, PitonError, type Json } from '../base/index.ts';
import { isFunctionRef, mentionsFailure, type Event } from '../model/index.ts';
import {
  addressOf,
  countsAsSuccess,
  statusOfTask,
  taskAt,
  type RunState,
  type TaskState,
} from './run-state.ts';
import { failureOf } from './failure-of.ts';
import { openQuestion, renderText, settleAnswered } from './questions.ts';
import { doomOfWaiting } from './settle-task.ts';
import { combinationsOf } from './matrix.ts';
import { variablesOf } from './variables.ts';
import type { World } from './world.ts';

/** What becomes of a task whose needs have settled. Undefined: it may start as soon as limits allow. */
export function decideTask(
  state: RunState,
  task: TaskState,
  world: World,
): Event | readonly Event[] | undefined {
  const doom = doomOfWaiting(state, task);
  if (doom !== undefined) return { type: 'task.cancelled', task: task.address, data: { reason: doom } };
  const answered = settleAnswered(state, task, world);
  if (answered !== undefined) return answered;
  // What has begun, or been agreed to, has been decided upon.
  if (task.key !== undefined || task.approved) return undefined;
  try {
    return (task.item === undefined ? decideSpec(state, task, world) : undefined) ?? ask(state, task, world);
  } catch (thrown) {
    return { type: 'task.failed', task: task.address, data: { failure: failureOf(thrown, world) } };
  }
}

/** The decisions about a task as a whole; those about its items are made by themselves. */
function decideSpec(state: RunState, task: TaskState, world: World): Event | undefined {
  const reason = reasonToSkip(state, task, world);
  if (reason !== undefined) return { type: 'task.skipped', task: task.address, data: { reason } };
  return task.spec.forEach === undefined ? undefined : expand(state, task, world);
}

/** A task that needs approval, or an answer, takes no slot before it has it. */
function ask(state: RunState, task: TaskState, world: World): Event | undefined {
  const { approval, work } = task.spec;
  if (work.type === 'ask') return openQuestion(state, task, { work, world });
  if (approval === undefined) return undefined;
  const text = renderText(state, task, { value: approval, world });
  return { type: 'gate.opened', task: task.address, data: { gate: world.mint(), text } };
}

function reasonToSkip(state: RunState, task: TaskState, world: World): string | undefined {
  const { if: condition } = task.spec;
  if (task.needFailed && !mentionsFailure(condition)) return needThatFailed(state, task);
  if (condition === undefined || world.evaluator.test(condition, variablesOf(state, task))) return undefined;
  return isFunctionRef(condition)
    ? 'its condition does not hold'
    : `its condition does not hold: ${asWritten(condition)}`;
}

/** Without what is asked of every condition. */
function asWritten(condition: string): string {
  return /^success\(\) && \(([^]*?)\n?\)$/.exec(condition)?.[1] ?? condition;
}

function needThatFailed(state: RunState, task: TaskState): string {
  const needs = task.spec.needs.map((need) => taskAt(state, addressOf(task.scope, need)));
  const need = needs.find((candidate) => !countsAsSuccess(candidate))!;
  return `it needs ${need.spec.name}, which ${need.life.status === 'failed' ? 'failed' : `was ${statusOfTask(need)}`}`;
}

function expand(state: RunState, task: TaskState, world: World): Event {
  const { forEach } = task.spec;
  const variables = variablesOf(state, task);
  const given = world.evaluator.render(forEach!.in, variables);
  const list = forEach!.matrix ? combinationsOf(given) : namedItems(given);
  if (list === undefined) throw notAList(task, given);
  const items = list.map(({ item, names }, index) => {
    const seen = { ...variables, [forEach!.as]: item, index };
    const key =
      forEach!.key === undefined ? defaultKey(names, index) : world.evaluator.render(forEach!.key, seen);
    return { key: typeof key === 'object' ? canonicalJson(key) : String(key), item };
  });
  assertDistinct(task, items);
  return { type: 'tasks.expanded', task: task.address, data: { items } };
}

/** An item is named by itself. */
function namedItems(
  list: Json,
): readonly { readonly item: Json; readonly names: readonly Json[] }[] | undefined {
  return Array.isArray(list) ? list.map((item: Json) => ({ item, names: [item] })) : undefined;
}

/** The names of the item; of one without a short name, its place. */
function defaultKey(names: readonly Json[], index: number): Json {
  return names.length > 0 && names.every(isName) ? names.join(',') : index;
}

function isName(value: Json): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function notAList(task: TaskState, given: Json): PitonError {
  const wanted = task.spec.forEach!.matrix
    ? 'a record of lists (`include` and `exclude`: lists of records)'
    : 'a list';
  const got = JSON.stringify(given);
  const shown = got.length > 80 ? `${got.slice(0, 80)}…` : got;
  return new PitonError('FOR_EACH_INVALID', `for-each of ${task.address} needs ${wanted}, but got ${shown}.`);
}

function assertDistinct(task: TaskState, items: readonly { readonly key: string }[]): void {
  const seen = new Set<string>();
  for (const { key } of items) {
    if (seen.has(key)) {
      throw new PitonError(
        'FOR_EACH_INVALID',
        `for-each of ${task.address} has two items with the key "${key}".`,
        {
          remedy: 'Give `key` an expression that is different for every item.',
        },
      );
    }
    seen.add(key);
  }
}
