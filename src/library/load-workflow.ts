import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { PitonError, type Json } from '../base/index.ts';
import { parseWorkflow } from '../definition/index.ts';
import type { FunctionCall } from '../engine/index.ts';
import { stepContext, type Definition, type StepContext } from './definition.ts';

/** A function that a workflow file calls by name. `given` is what its `with` says. */
export type NamedFunction = (given: Json, context: StepContext & { readonly state: unknown }) => unknown;

/** A workflow file (YAML), with the functions it calls. Throws `DEFINITION_INVALID`, naming file, line and column. */
export async function loadWorkflow(
  file: string,
  functions: Readonly<Record<string, NamedFunction>> = {},
): Promise<Definition<Readonly<Record<string, Json>>, Json, Readonly<Record<string, Json>>>> {
  const { workflow } = await parseWorkflow(readText(file), {
    file,
    read: (path) => readText(path),
    functions: Object.keys(functions),
  });
  const named = Object.entries(functions).map(([name, run]) => [
    name,
    (call: FunctionCall) => callNamed(run, call),
  ]);
  return { workflow, functions: Object.fromEntries(named), closures: {}, declaresInputs: true };
}

function callNamed(run: NamedFunction, call: FunctionCall): unknown {
  return run(call.given ?? null, { ...stepContext(call), state: call.variables['state'] });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new PitonError('FILE_UNREADABLE', `Cannot read the workflow file ${resolve(file)}.`, {
      file,
      cause,
    });
  }
}
