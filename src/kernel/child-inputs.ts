import { isPlainObject, PitonError, type Json, type JsonObject } from '../base/index.ts';
import type { Workflow } from '../model/index.ts';

/** What a nested workflow is given, with the defaults it declares. Throws `INPUT_INVALID` if something is missing. */
export function childInputs(task: string, workflow: Workflow, given: Json): JsonObject {
  if (!isPlainObject(given))
    throw new PitonError('INPUT_INVALID', `\`with\` of ${task} must give an object of inputs.`);
  const inputs: Record<string, Json> = { ...(given as JsonObject) };
  for (const [name, { required, default: fallback }] of Object.entries(workflow.inputs)) {
    if (Object.hasOwn(inputs, name)) continue;
    if (fallback !== undefined) inputs[name] = fallback;
    else if (required) throw missing(task, workflow, name);
  }
  return inputs;
}

function missing(task: string, workflow: Workflow, name: string): PitonError {
  return new PitonError('INPUT_INVALID', `${task} gives no input ${name}, which ${workflow.name} requires.`, {
    remedy: `Add ${name} to its \`with\`.`,
  });
}
