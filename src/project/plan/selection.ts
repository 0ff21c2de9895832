/** Only a part of a workflow: `--only`, `--until`, `--skip`. */
export interface Selection {
  readonly only?: readonly string[] | undefined;
  readonly until?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
}

/** Without what was not given. */
export function selectionOf({ only, until, skip }: Selection): {
  readonly only?: string[];
  readonly until?: string[];
  readonly skip?: string[];
} {
  return {
    ...(only !== undefined && { only: [...only] }),
    ...(until !== undefined && { until: [...until] }),
    ...(skip !== undefined && { skip: [...skip] }),
  };
}
