import { PitonError } from '../../../base/index.ts';
import type { Problem } from '../../../definition/index.ts';
import type { Workflow } from '../../../model/index.ts';
import { boundsOf } from '../budget-text.ts';
import { placesIn, type PlannedPlace } from '../drive/plan-places.ts';
import { aboutFunctions, isData, loadForReading, parseFile } from '../workflows.ts';
import { risksOf, worstCase, type Risk } from './risks.ts';

/** What is to be said about one workflow file. */
export interface Findings {
  readonly file: string;
  readonly name: string;
  readonly ok: boolean;
  /** Whether `piton run` can run it as it is. */
  readonly runs: boolean;
  readonly problems: readonly Problem[];
  readonly suggestions: readonly Problem[];
  readonly irreversible: readonly Risk[];
  /** Tasks, those of nested workflows included. */
  readonly tasks: number;
  /** Attempts in the worst case; of a for-each or a graph, once through. */
  readonly attempts: number;
  /** How often agents are asked in the worst case: attempts × (1 + revisions). */
  readonly agentTurns: number;
  /** What its agents may use, and what happens at usage limits, in words. */
  readonly bounds: readonly string[];
  /** Where its tasks work. */
  readonly places: readonly PlannedPlace[];
}

/** `folder`: where its runs would work. */
export async function checkWorkflow(file: string, name: string, folder: string): Promise<Findings> {
  try {
    const { workflow, suggestions } = await read(file);
    const lack = isData(file) ? aboutFunctions(workflow, file) : undefined;
    const found = {
      file,
      name: workflow.name,
      ok: true,
      runs: lack === undefined,
      problems: [],
      suggestions: lack === undefined ? suggestions : [...suggestions, { file, path: '', ...lack }],
    };
    return {
      ...found,
      irreversible: risksOf(workflow),
      ...worstCase(workflow),
      bounds: boundsOf(workflow),
      places: placesIn(workflow, folder),
    };
  } catch (thrown) {
    if (!(thrown instanceof PitonError)) throw thrown;
    const problems = problemsOf(thrown, file);
    return { file, name, ok: false, runs: false, problems, ...nothing };
  }
}

const nothing = {
  suggestions: [],
  irreversible: [],
  tasks: 0,
  attempts: 0,
  agentTurns: 0,
  bounds: [],
  places: [],
} as const;

async function read(file: string): Promise<{ workflow: Workflow; suggestions: readonly Problem[] }> {
  if (!isData(file)) return { workflow: await loadForReading(file), suggestions: [] };
  return parseFile(file);
}

function problemsOf({ details, message }: PitonError, file: string): readonly Problem[] {
  const { problems } = details as { problems?: readonly Problem[] };
  return problems?.map((problem) => ({ file, ...problem })) ?? [{ message, path: '', file }];
}
