/** When a run is written down, and what is kept of it once it has succeeded. */
export interface CheckpointPolicy {
  /** `gates`, `manual`, `off`: only when something forces a commit, or a task asks for one; they differ in what the author expects. */
  readonly every: { readonly tasks: number } | { readonly ms: number } | 'gates' | 'manual' | 'off';
  /**
   * false: payloads too big for the journal are dropped when the run has succeeded, unless its outputs hold them. `remove-on-success`: the
   * run is removed then.
   */
  readonly preserve: boolean | 'remove-on-success';
}

/** What is written for the policies that have a name. */
export const checkpointNames: Readonly<Record<string, CheckpointPolicy['every']>> = {
  'every-task': { tasks: 1 },
  'on-gates': 'gates',
  manual: 'manual',
  off: 'off',
};

/** Of workflows and configurations that say nothing. */
export const defaultCheckpoint: CheckpointPolicy = { every: { tasks: 1 }, preserve: true };

/** What a configuration gives to workflows that do not say it themselves. A run keeps it, so that a later configuration does not change it. */
export interface RunDefaults {
  readonly checkpoint?: CheckpointPolicy;
  readonly maxParallel?: number;
}
