import type { BreakerOptions, CheckpointOption, RunBudget, UsageLimitOptions } from './task-options.ts';
import type { StepContext } from './definition.ts';
import type { Delivery } from './delivery-options.ts';
import type { VersionOption } from './migration-options.ts';
import type { PlaceSettings } from './place-options.ts';

/** What holds for a workflow as a whole. */
export interface WorkflowSettings extends PlaceSettings {
  /** So many tasks at once; default: no limit. */
  readonly maxParallel?: number;
  /** The first failure cancels all that has not ended. */
  readonly failFast?: boolean;
  /**
   * A whole number: raise it with a change that runs under way have to be migrated for (`migrate`). Without one it is 1; anything else is a
   * name for people.
   */
  readonly version?: VersionOption;
  readonly checkpoint?: CheckpointOption;
  /** What agents may use up in one run, and all runs of the store on one day; then what works is stopped, and held until a person raises it. */
  readonly budget?: RunBudget;
  /** What happens when an agent is at its usage limit; default: it is waited for. */
  readonly usageLimits?: UsageLimitOptions;
  /** By the names of the resources that tasks use. */
  readonly breakers?: Readonly<Record<string, BreakerOptions>>;
  /** What is done when all tasks have succeeded: a task named `deliver`, which needs all others. */
  readonly deliver?: Delivery;
}

/** What a task's conditions and lists are computed from. */
export interface Known<Inputs, Needs> {
  readonly inputs: Inputs;
  /** The outputs of the tasks it needs. */
  readonly needs: Needs;
}

/** What the function of a task is told: its data, and where it is. */
export interface TaskContext<Inputs, Needs, Item = undefined> extends StepContext, Known<Inputs, Needs> {
  /** Of a for-each. */
  readonly item: Item;
  readonly itemKey: string | undefined;
}
