import { toJson, type Json, type JsonObject } from '../base/index.ts';
import { isFunctionRef, type Workflow } from '../model/index.ts';
import type { Program } from './program.ts';

interface CheckedInputs {
  /** The last that changed them. */
  readonly step: number;
  readonly program: Pick<Program, 'compileSchema'>;
}

/** The inputs as the new definition wants them; what it does not know any more is gone. Throws an error that lists what is wrong. */
export async function checkMigratedInputs(
  inputs: JsonObject,
  workflow: Workflow,
  { step, program }: CheckedInputs,
): Promise<JsonObject> {
  const { inputs: specs } = workflow;
  // What a closure gives it means; a template only says what changes.
  const given = isFunctionRef(workflow.migrations![step]!.inputs) ? inputs : only(inputs, Object.keys(specs));
  const problems: string[] = [];
  for (const [name, { schema, required, default: value }] of Object.entries(specs)) {
    const found = Object.hasOwn(given, name) ? given[name] : value;
    if (found === undefined && required) problems.push(`${name} has no value`);
    else if (found !== undefined) {
      const check = await program.compileSchema(schema);
      problems.push(...check(found).map((problem) => `${name} ${problem}`));
    }
  }
  if (problems.length > 0) throw new Error(`the inputs do not fit: ${problems.join('; ')}`);
  return given;
}

/** The state as the new definition wants it. What it does not begin with is gone, unless a closure gave it. */
export function checkMigratedState(state: JsonObject, workflow: Workflow, step: number): JsonObject {
  const { state: initial } = workflow.graph!;
  if (isFunctionRef(workflow.migrations![step]!.state)) return state;
  const given = only(state, Object.keys(initial));
  const wrong = Object.entries(given).find(([name, value]) => isOtherKind(value, initial[name]!));
  if (wrong === undefined) return given;
  const [name, value] = wrong;
  throw new Error(`${name} is ${kindOf(value)}, and begins as ${kindOf(initial[name]!)}`);
}

/** As the expressions of the file were checked: what begins as null may be anything. */
function isOtherKind(value: Json, initial: Json): boolean {
  return initial !== null && kindOf(value) !== kindOf(initial);
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  const kinds: Readonly<Record<string, string>> = { string: 'text', object: 'a record' };
  return kinds[typeof value] ?? `a ${typeof value}`;
}

function only(record: JsonObject, names: readonly string[]): JsonObject {
  const kept = names.filter((name) => Object.hasOwn(record, name)).map((name) => [name, record[name]!]);
  return toJson(Object.fromEntries(kept)) as JsonObject;
}
