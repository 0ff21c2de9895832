import { expect } from 'vitest';
import {
  defineWorkflow,
  parseWorkflow,
  type Problem,
  type TaskDraft,
  type WorkflowDraft,
} from '../../src/definition/index.ts';
import type { Workflow } from '../../src/model/index.ts';

export function task(name: string, given: Partial<TaskDraft> = {}): TaskDraft {
  return { name, work: { type: 'function', function: name }, ...given };
}

export function workflow(tasks: readonly TaskDraft[], given: Partial<WorkflowDraft> = {}): Workflow {
  return asJson(defineWorkflow({ name: 'test', tasks, ...given }));
}

/** Workflows and problems are kept and shown as JSON, which must bring them back as they were: nothing is undefined. */
function asJson<T>(value: T): T {
  expect(JSON.parse(JSON.stringify(value))).toStrictEqual(value);
  return value;
}

/** What a definition is refused for; fails if it is accepted. */
export function refusal(act: () => unknown): readonly Problem[] {
  try {
    act();
  } catch (error) {
    return problemsIn(error);
  }
  throw new Error('the definition was accepted');
}

export async function refusalOf(act: Promise<unknown>): Promise<readonly Problem[]> {
  const error = await act.then(
    () => new Error('the definition was accepted'),
    (thrown: unknown) => thrown,
  );
  return problemsIn(error);
}

function problemsIn(error: unknown): readonly Problem[] {
  const { code, details } = error as { code?: string; details?: { problems: readonly Problem[] } };
  if (code !== 'DEFINITION_INVALID') throw error;
  return asJson(details!.problems);
}

export const messages = (problems: readonly Problem[]): string[] => problems.map(({ message }) => message);

/** `line:column message`, as a person would go and look. */
export const places = (problems: readonly Problem[]): string[] =>
  problems.map(({ line, column, message }) => `${line}:${column} ${message}`);

/** Parses `main.yaml`, with other files beside it. */
export function parse(text: string, files: Readonly<Record<string, string>> = {}) {
  const read = (path: string): string => {
    const found = files[path];
    if (found === undefined) throw new Error(`there is no ${path}`);
    return found;
  };
  return parseWorkflow(text, { file: 'main.yaml', read });
}

export async function parsed(text: string, files: Readonly<Record<string, string>> = {}): Promise<Workflow> {
  return asJson((await parse(text, files)).workflow);
}

export function parseProblems(text: string, files: Readonly<Record<string, string>> = {}) {
  return refusalOf(parse(text, files));
}
