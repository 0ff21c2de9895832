import { relative } from 'node:path';
import { describeProblem, type PreflightFinding, type Problem } from '../../../project/index.ts';
import { cleanText } from '../output/index.ts';

/** Where it is, with the file as seen from `directory`; what it is, and what to do about it. */
export function problemText(problem: Problem, directory: string): string {
  const { file } = problem;
  return describeProblem(file === undefined ? problem : { ...problem, file: relative(directory, file) });
}

/** The same of what a run will lack. */
export function findingText(finding: PreflightFinding, directory: string): string {
  return cleanText(problemText(finding, directory));
}
