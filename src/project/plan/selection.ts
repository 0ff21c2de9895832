/** Only a part of a workflow: `--only`, `--until`, `--skip`. */
export interface Selection {
  readonly only?: readonly string[] | undefined;
  readonly until?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
}

/** Without what was not given: a list of nothing is none. */
export function selectionOf({ only = [], until = [], skip = [] }: Selection): {
  readonly only?: string[];
  readonly until?: string[];
  readonly skip?: string[];
} {
  return {
    ...(only.length > 0 && { only: [...only] }),
    ...(until.length > 0 && { until: [...until] }),
    ...(skip.length > 0 && { skip: [...skip] }),
  };
}
