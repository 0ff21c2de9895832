import {
  asError,
  canonicalJson,
  hasCode,
  isPlainObject,
  errorText,
  PitonError,
  type Json,
  type JsonObject,
} from '../base/index.ts';
import { isFunctionRef, mentionsFailure, type Event, type Failure } from '../model/index.ts';
import {
  addressOf,
  countsAsSuccess,
  statusOfTask,
  taskAt,
  type RunState,
  type TaskState,
} from './run-state.ts';
import { doomOfWaiting } from './settle-task.ts';
import { variablesOf } from './variables.ts';
import type { World } from './world.ts';

/** What becomes of a task whose needs have settled. Undefined: it may start as soon as limits allow. */
export function decideTask(state: RunState, task: TaskState, world: World): Event | undefined {
  const doom = doomOfWaiting(state, task);
  if (doom !== undefined) return { type: 'task.cancelled', task: task.address, data: { reason: doom } };
  // What has begun, or been agreed to, has been decided upon.
  if (task.key !== undefined || task.approved) return undefined;
  try {
    return (task.item === undefined ? decideSpec(state, task, world) : undefined) ?? ask(state, task, world);
  } catch (thrown) {
    return { type: 'task.failed', task: task.address, data: { failure: failureOf(thrown) } };
  }
}

/** The decisions about a task as a whole; those about its items are made by themselves. */
function decideSpec(state: RunState, task: TaskState, world: World): Event | undefined {
  const reason = reasonToSkip(state, task, world);
  if (reason !== undefined) return { type: 'task.skipped', task: task.address, data: { reason } };
  return task.spec.forEach === undefined ? undefined : expand(state, task, world);
}

/** A task that needs approval takes no slot before it has it. */
function ask(state: RunState, task: TaskState, world: World): Event | undefined {
  const { approval } = task.spec;
  if (approval === undefined) return undefined;
  const rendered = world.evaluator.render(approval, variablesOf(state, task));
  const text = typeof rendered === 'string' ? rendered : canonicalJson(rendered);
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
  const list = forEach!.matrix ? product(given) : given;
  if (!Array.isArray(list)) throw notAList(task, given);
  const items = (list as readonly Json[]).map((item, index) => {
    const seen = { ...variables, [forEach!.as]: item, index };
    const key =
      forEach!.key === undefined
        ? defaultKey(item, { index, matrix: forEach!.matrix })
        : world.evaluator.render(forEach!.key, seen);
    return { key: typeof key === 'object' ? canonicalJson(key) : String(key), item };
  });
  assertDistinct(task, items);
  return { type: 'tasks.expanded', task: task.address, data: { items } };
}

/** The combinations of a matrix are known by their values, other items by themselves; what has no short name, by its place. */
function defaultKey(item: Json, { index, matrix }: { index: number; matrix: boolean }): Json {
  const names = matrix ? Object.values(item as JsonObject) : [item];
  return names.length > 0 && names.every(isName) ? names.join(',') : index;
}

function isName(value: Json): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

/** Every combination of one entry of each list. */
function product(lists: Json): Json | undefined {
  if (!isPlainObject(lists)) return undefined;
  let combinations: Record<string, Json>[] = [{}];
  for (const [name, values] of Object.entries(lists)) {
    if (!Array.isArray(values)) return undefined;
    combinations = combinations.flatMap((chosen) =>
      values.map((value: Json) => ({ ...chosen, [name]: value })),
    );
  }
  return combinations;
}

function notAList(task: TaskState, given: Json): PitonError {
  const wanted = task.spec.forEach!.matrix ? 'a record of lists' : 'a list';
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

/** What an expression threw, as the reason of a failure. */
export function failureOf(thrown: unknown): Failure {
  const error = asError(thrown);
  const code =
    error instanceof PitonError || hasCode(error, 'EXPRESSION_FAILED') ? error.code : 'EXPRESSION_FAILED';
  return { code, message: errorText(error, 'message') ?? '', retryable: false };
}
