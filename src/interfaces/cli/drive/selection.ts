import { selectTasks } from '../../../definition/index.ts';
import type { Definition } from '../../../library/index.ts';

/** Only a part of a workflow: `--only`, `--until`, `--skip`. */
export interface Selection {
  readonly only?: readonly string[] | undefined;
  readonly until?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
}

export function selectFrom(definition: Definition, given: Selection): Definition {
  const selection = selectionOf(given);
  if (Object.keys(selection).length === 0) return definition;
  const { workflow, functions, closures, declaresInputs } = definition;
  return {
    workflow: selectTasks(workflow, selection),
    functions,
    closures,
    ...(declaresInputs !== undefined && { declaresInputs }),
  };
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
