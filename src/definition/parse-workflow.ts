import type { ParsedWorkflow, WorkflowSource } from './yaml/read-workflow.ts';

/**
 * A workflow file (YAML), validated and frozen, with suggestions for what could be better. Throws one PitonError
 * `DEFINITION_INVALID` for everything that is wrong, in this file and those it uses; each problem has its file, line
 * and column.
 */
export async function parseWorkflow(text: string, source: WorkflowSource): Promise<ParsedWorkflow> {
  const { readWorkflow } = await import('./yaml/read-workflow.ts');
  return readWorkflow(text, source);
}
