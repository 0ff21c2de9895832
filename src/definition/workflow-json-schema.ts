import type { JsonObject } from '../base/index.ts';

/** The JSON Schema of a workflow file, for editors: made from what validates it. */
export async function workflowJsonSchema(): Promise<JsonObject> {
  const [{ z }, { workflowFile }] = await Promise.all([import('zod'), import('./yaml/file-schema.ts')]);
  return z.toJSONSchema(workflowFile, { io: 'input' }) as unknown as JsonObject;
}
