import { resolve } from 'node:path';
import { asError, PitonError, readBounded, type Json } from '../base/index.ts';
import { loadKeyLocator, parseWorkflow } from '../definition/index.ts';
import type { FunctionCall, LocateMigration } from '../engine/index.ts';
import { standsFor } from './function-sources.ts';
import { stepContext, type Definition, type StepContext } from './definition.ts';

/** A function that a workflow file calls by name. `given` is what its `with` says. */
export type NamedFunction = (given: Json, context: StepContext & { readonly state: unknown }) => unknown;

/** A workflow file (YAML), with the functions it calls. Throws `DEFINITION_INVALID`, naming file, line and column. */
export async function loadWorkflow(
  file: string,
  functions: Readonly<Record<string, NamedFunction>> = {},
): Promise<Definition<Readonly<Record<string, Json>>, Json, Readonly<Record<string, Json>>>> {
  const { workflow, leavesCheckpoint } = await parseWorkflow(readText(file), {
    file,
    read: (path) => readText(path),
    functions: Object.keys(functions),
  });
  const named = Object.entries(functions).map(([name, run]) => [
    name,
    standsFor((call: FunctionCall) => callNamed(run, call), run),
  ]);
  return {
    workflow,
    functions: Object.fromEntries(named) as Definition['functions'],
    closures: {},
    declaresInputs: true,
    leavesCheckpoint,
    locate: (place) => locateMigration(file, place),
  };
}

/** The file may have changed or gone since: then nothing is said of it. */
async function locateMigration(
  file: string,
  { scope, step, part }: Parameters<LocateMigration>[0],
): Promise<string | undefined> {
  const locate = (await loadKeyLocator())(file, readText);
  const task = scope === '' ? [] : scope.replaceAll(/\[[^\]]*\]|#\d+/g, '').split('.');
  try {
    const place = locate({ task, key: 'migrations', inside: [String(step), ...part] });
    return [place.file, place.line, place.column].filter((one) => one !== undefined).join(':');
  } catch {
    return undefined;
  }
}

function callNamed(run: NamedFunction, call: FunctionCall): unknown {
  return run(call.given ?? null, { ...stepContext(call), state: call.variables['state'] });
}

function readText(file: string): string {
  const bytes = readBytes(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw unreadable(file, { cause, reason: 'it is not UTF-8 text', remedy: 'Save it as UTF-8.' });
  }
}

function readBytes(file: string): Buffer {
  try {
    return readBounded(file);
  } catch (cause) {
    throw unreadable(file, { cause, reason: asError(cause).message });
  }
}

function unreadable(
  file: string,
  { cause, reason, remedy }: { cause: unknown; reason: string; remedy?: string },
): PitonError {
  const message = `Cannot read the workflow file ${resolve(file)}: ${reason}.`;
  return new PitonError('FILE_UNREADABLE', message, { file, cause, ...(remedy !== undefined && { remedy }) });
}
