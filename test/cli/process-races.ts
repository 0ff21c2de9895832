/** Two processes of the command line that decide about one run at nearly the same time. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Answer, Project } from './command-line.ts';
import { executions } from './races.ts';

/** Calls both, the second so much later. */
export async function bothAt(
  project: Project,
  [one, other]: readonly [readonly string[], readonly string[]],
  laterMs: number,
): Promise<readonly Answer[]> {
  const first = project.binary(one);
  await pause(laterMs);
  return Promise.all([first, project.binary(other)]);
}

export const isTaken = ({ stderr }: Answer): boolean => !stderr.includes('error:');

/** Each of them is told: what was done, or why it was not, and what to do next. */
export function expectTold(answers: readonly Answer[]): void {
  for (const answer of answers) {
    if (isTaken(answer)) continue;
    expect([2, 4]).toContain(answer.code);
    expect(answer.stderr).toMatch(/error: .+\n {2}→ .+/);
  }
}

/** How often each task has run, by its letter. */
export function countsIn(project: Project): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const letter of executions(project)) counts[letter] = (counts[letter] ?? 0) + 1;
  return counts;
}

/** Two who try again what has failed: what has run, and how many of them were taken at their word. */
export async function raceRetries(
  make: () => Promise<Project>,
  laterMs: number,
): Promise<{ readonly ran: string; readonly taken: number }> {
  const project = await make();
  const answers = await bothAt(
    project,
    [
      ['retry', 'r'],
      ['retry', 'r'],
    ],
    laterMs,
  );
  expectTold(answers);
  return { ran: executions(project), taken: answers.filter(isTaken).length };
}
