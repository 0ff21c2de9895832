import { compileSchema, createEvaluator } from '../definition/index.ts';
import type { Program } from '../engine/index.ts';
import type { Evaluator, Workflow } from '../model/index.ts';
import type { Definition } from './definition.ts';
import { sourcesOf } from './function-sources.ts';

const programs = new WeakMap<object, Promise<Program>>();

/** What the engine needs of a definition; made once for each. */
export function programOf(definition: Definition): Promise<Program> {
  let program = programs.get(definition);
  if (program === undefined) programs.set(definition, (program = makeProgram(definition)));
  return program;
}

async function makeProgram({ workflow, functions, closures, locate }: Definition): Promise<Program> {
  const evaluatorFor = (other: Workflow): Promise<Evaluator> => createEvaluator(other, closures);
  const knows = (name: string): boolean => Object.hasOwn(functions, name) || Object.hasOwn(closures, name);
  let sources: ReturnType<Program['sources']> | undefined;
  return {
    workflow,
    functions,
    evaluator: await evaluatorFor(workflow),
    evaluatorFor,
    knows,
    compileSchema,
    sources: () => (sources ??= sourcesOf(functions)),
    locate,
  };
}
