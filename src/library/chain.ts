import { defineWorkflow, type TaskDraft, type WorkflowDraft } from '../definition/index.ts';
import type { TaskFunction } from '../engine/index.ts';
import type { Variables } from '../model/index.ts';
import {
  isDefinition,
  nest,
  stepContext,
  type Closure,
  type Definition,
  type StepContext,
} from './definition.ts';
import { standsFor } from './function-sources.ts';
import type { OutputOf, Refusal } from './storable.ts';
import { checkpointDraft, stepDraft, type CheckpointOption, type StepOptions } from './task-options.ts';

/** What one step of a chain is given. */
export interface ChainStep<Item, Result> {
  /** Of the step before; `initial` for the first. */
  readonly result: Result;
  readonly item: Item;
  readonly index: number;
}

/** What a run of a chain is given. */
export interface ChainInputs<Item, Result> {
  readonly items: readonly Item[];
  readonly initial: Result;
}

/** What every step of a chain can be told, and how often the journal is written. */
export interface ChainOptions extends StepOptions {
  readonly checkpoint?: CheckpointOption;
}

type Step<Item, Result> =
  | ((step: ChainStep<Item, Result>, context: StepContext) => Result | Promise<Result>)
  | Definition<ChainStep<Item, Result>, Result>;

interface ChainState {
  readonly index: number;
  readonly result: unknown;
}

/**
 * Goes through items one after the other, each step taking the result of the one before; what the last one gives is the
 * result. Checkpointed per item: after a crash it goes on at the item it was at.
 */
export function chain<Item, Result>(
  name: string,
  step: Step<Item, Result> & Refusal<Item> & Refusal<Result>,
  options: ChainOptions = {},
): Definition<ChainInputs<Item, Result>, OutputOf<Result>> {
  const part = stepPart(step as AnyStep, options);
  const workflow = defineWorkflow({
    name,
    checkpoint: checkpointDraft(options.checkpoint),
    graph: { start: 'begin', state: { index: 0, result: null }, maxSteps: Number.MAX_SAFE_INTEGER },
    tasks: [
      { name: 'begin', work: { type: 'function', function: 'begin' }, next: onwards },
      { ...part.draft, next: onwards },
    ],
    outputs: { $function: 'outputs' },
  });
  return {
    workflow,
    leavesCheckpoint: options.checkpoint === undefined,
    functions: { ...part.functions, begin: () => undefined },
    closures: { ...part.closures, ended: hasEnded, outputs: (variables) => stepOf(variables).result },
    progress: ({ inputs, state }) => ({
      done: (state as ChainState).index,
      total: (inputs as ChainInputs<unknown, unknown>).items.length,
    }),
  };
}

const onwards = [{ to: 'end', if: { $function: 'ended' } }, { to: 'step' }];

type AnyStep = Definition | ((step: ChainStep<unknown, unknown>, context: StepContext) => unknown);

interface StepPart {
  readonly draft: TaskDraft;
  readonly functions: Readonly<Record<string, TaskFunction>>;
  readonly closures: Readonly<Record<string, Closure>>;
}

function stepPart(step: AnyStep, options: StepOptions): StepPart {
  const draft = { name: 'step', ...stepDraft(options) };
  if (!isDefinition(step)) {
    const run: TaskFunction = async (call) => {
      const current = stepOf(call.variables);
      return { index: current.index + 1, result: await step(current, stepContext(call)) };
    };
    return {
      draft: { ...draft, work: { type: 'function', function: 'step' } },
      functions: { step: standsFor(run, step) },
      closures: {},
    };
  }
  const nested = nest(step, 'step');
  const workflow = nested.draft as WorkflowDraft;
  const closures: Record<string, Closure> = {
    ...nested.closures,
    with: stepOf,
    update: (variables) => ({ index: stepOf(variables).index + 1, result: variables['output'] }),
  };
  const work = { type: 'workflow', workflow, inherits: false, with: { $function: 'with' } } as const;
  return {
    draft: { ...draft, work, update: { $function: 'update' } },
    functions: nested.functions,
    closures,
  };
}

function stepOf(variables: Variables): ChainStep<unknown, unknown> {
  const { items, initial } = variables['inputs'] as ChainInputs<unknown, unknown>;
  const { index, result } = variables['state'] as ChainState;
  return { index, item: items[index], result: index === 0 ? initial : result };
}

function hasEnded(variables: Variables): boolean {
  const { items } = variables['inputs'] as ChainInputs<unknown, unknown>;
  return (variables['state'] as ChainState).index >= items.length;
}
