import { PitonError } from '../../../base/index.ts';
import type { Problem } from '../../../definition/index.ts';
import { functionsOf, type Workflow } from '../../../model/index.ts';
import { isData, loadForReading, parseFile } from '../workflows.ts';
import { risksOf, worstCase, type Risk } from './risks.ts';

/** What is to be said about one workflow file. */
export interface Findings {
  readonly file: string;
  readonly name: string;
  readonly ok: boolean;
  readonly problems: readonly Problem[];
  readonly suggestions: readonly Problem[];
  readonly irreversible: readonly Risk[];
  /** Tasks, those of nested workflows included. */
  readonly tasks: number;
  /** Attempts in the worst case; of a for-each or a graph, once through. */
  readonly attempts: number;
}

export async function checkWorkflow(file: string, name: string): Promise<Findings> {
  try {
    const { workflow, suggestions } = await read(file);
    const found = { file, name: workflow.name, ok: true, problems: [], suggestions };
    return { ...found, irreversible: risksOf(workflow), ...worstCase(workflow) };
  } catch (thrown) {
    if (!(thrown instanceof PitonError)) throw thrown;
    const problems = problemsOf(thrown, file);
    return { file, name, ok: false, problems, suggestions: [], irreversible: [], tasks: 0, attempts: 0 };
  }
}

async function read(file: string): Promise<{ workflow: Workflow; suggestions: readonly Problem[] }> {
  if (!isData(file)) return { workflow: await loadForReading(file), suggestions: [] };
  const { workflow, suggestions } = await parseFile(file);
  return { workflow, suggestions: [...suggestions, ...aboutFunctions(workflow, file)] };
}

/** Right for the library, which is given the functions; by itself the file cannot be run. */
function aboutFunctions(workflow: Workflow, file: string): Problem[] {
  const names = [...new Set(functionsOf(workflow))];
  if (names.length === 0) return [];
  return [
    {
      file,
      path: '',
      message: `It calls functions (${names.join(', ')}), which piton run does not know.`,
      remedy: `Run it from a TypeScript file that exports loadWorkflow(…, { ${names[0]} }) as its default.`,
    },
  ];
}

function problemsOf({ details, message }: PitonError, file: string): readonly Problem[] {
  const { problems } = details as { problems?: readonly Problem[] };
  return problems?.map((problem) => ({ file, ...problem })) ?? [{ message, path: '', file }];
}
