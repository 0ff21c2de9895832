import type { TaskView } from '../kernel/index.ts';
import type { Failure } from '../model/index.ts';
import { buildWorkflow, taskPart, type AnyTaskOptions, type AnyWork } from './build-workflow.ts';
import { isDefinition, type Closure, type Definition, type StepContext } from './definition.ts';
import { standsFor } from './function-sources.ts';
import type { OutputOf, Refusal } from './storable.ts';
import type { CheckpointOption, StepOptions } from './task-options.ts';

/** What every item can be told, and how many run at once. */
export interface ParallelOptions<Item> extends StepOptions {
  /** So many items at once; default: no limit. */
  readonly maxWorkers?: number;
  /** Default false: the first failure stops the rest. True: every item is tried, and the result tells how each ended. */
  readonly collectAll?: boolean;
  /** Names an item in addresses; default: its index. */
  readonly key?: (item: Item) => string | number;
  readonly checkpoint?: CheckpointOption;
}

/** How one item ended, when all are collected. */
export type Collected<Output> =
  | { readonly status: 'succeeded'; readonly output: Output }
  | { readonly status: 'failed' | 'skipped' | 'cancelled'; readonly error?: Failure };

/** What a run of `parallel` is given. */
export interface ParallelInputs<Item> {
  readonly items: readonly Item[];
}

type Worker<Item, Output> =
  | ((item: Item, context: StepContext) => Output | Promise<Output>)
  | Definition<{ readonly item: Item }, Output>;

/** Does the same with every item at the same time. Results come in the order of the items. Checkpointed per item. */
export function parallel<Item, Output>(
  name: string,
  run: Worker<Item, Output> & Refusal<Item> & Refusal<Output>,
  options: ParallelOptions<Item> & { readonly collectAll: true },
): Definition<ParallelInputs<Item>, readonly Collected<OutputOf<Output>>[]>;
export function parallel<Item, Output>(
  name: string,
  run: Worker<Item, Output> & Refusal<Item> & Refusal<Output>,
  options?: ParallelOptions<Item>,
): Definition<ParallelInputs<Item>, readonly OutputOf<Output>[]>;
export function parallel(name: string, run: unknown, options: unknown = {}): Definition {
  const { maxWorkers, collectAll = false, key, checkpoint, ...step } = options as ParallelOptions<unknown>;
  const each: AnyTaskOptions = {
    ...step,
    forEach: {
      in: ({ inputs }) => (inputs as ParallelInputs<unknown>).items,
      key: (item, { index }) => key?.(item) ?? index,
      maxFailures: collectAll ? Number.MAX_SAFE_INTEGER : 0,
      ...(maxWorkers !== undefined && { maxParallel: maxWorkers }),
    },
    ...(isDefinition(run) && { with: ({ item }) => ({ item }) }),
  };
  const worker = run as (item: unknown, context: StepContext) => unknown;
  const call = ({ item, ...context }: StepContext & { readonly item: unknown }): unknown =>
    worker(item, context);
  const work: AnyWork = isDefinition(run) ? run : standsFor(call, worker);
  return buildWorkflow({
    name,
    settings: { failFast: !collectAll, ...(checkpoint !== undefined && { checkpoint }) },
    tasks: { task: taskPart('each', each, work), before: undefined },
    outputs: collectAll ? collected : inOrder,
  });
}

const viewOf = (variables: Parameters<Closure>[0]): TaskView =>
  (variables['tasks'] as { each: TaskView }).each;

const inOrder: Closure = (variables) => viewOf(variables).output;

const collected: Closure = (variables) =>
  viewOf(variables).items!.map(({ status, output, error }) =>
    status === 'succeeded' ? { status, output } : { status, ...(error !== undefined && { error }) },
  );
