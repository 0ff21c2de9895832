import { loadPatterns } from '../model/index.ts';
import type { ParsedWorkflow, WorkflowSource } from './yaml/read-workflow.ts';

/**
 * A workflow file (YAML), validated and frozen, with suggestions for what could be better. Throws one PitonError
 * `DEFINITION_INVALID` for everything that is wrong, in this file and those it uses; each problem has its file, line
 * and column.
 */
export async function parseWorkflow(text: string, source: WorkflowSource): Promise<ParsedWorkflow> {
  const { readWorkflow } = await import('./yaml/read-workflow.ts');
  let hasPatterns = false;
  const parsed = outcomeOf(() => readWorkflow(text, source, () => void (hasPatterns = true)));
  // Few files have patterns: only they are read again, with what can judge them.
  if (!hasPatterns) return parsed();
  const { faultOfPattern } = await loadPatterns();
  return readWorkflow(text, source, faultOfPattern);
}

/** What was given or thrown, when it is asked for. */
function outcomeOf<T>(act: () => T): () => T {
  try {
    const value = act();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
