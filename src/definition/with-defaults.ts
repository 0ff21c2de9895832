import { freezeParsed, hashJson, type Json } from '../base/index.ts';
import type { RunDefaults, Workflow } from '../model/index.ts';

/** The workflow with what it does not say itself. Whether it says when it is written down is known to whoever has its source. */
export function withDefaults(workflow: Workflow, { checkpoint, maxParallel }: RunDefaults): Workflow {
  // In a graph one task follows the other.
  const isLimited =
    maxParallel !== undefined && workflow.form === 'tasks' && workflow.maxParallel === undefined;
  if (checkpoint === undefined && !isLimited) return workflow;
  const { hash: _, ...rest } = workflow;
  const body = {
    ...rest,
    ...(checkpoint !== undefined && { checkpoint }),
    ...(isLimited && { maxParallel }),
  };
  return freezeParsed({ ...body, hash: hashJson(body as unknown as Json) });
}
