import { nearest, PitonError, toJson, type Json } from '../base/index.ts';
import type { Workflow } from '../model/index.ts';
import { compileSchema } from './json-schemas.ts';

/**
 * The inputs a run begins with: what is given, and defaults for the rest. Throws `INPUT_INVALID` with everything that is
 * missing, unknown or of the wrong kind.
 */
export async function checkInputs(
  { name, inputs: specs }: Workflow,
  given: Readonly<Record<string, Json>>,
): Promise<Record<string, Json>> {
  const problems = unknownInputs(Object.keys(specs), Object.keys(given));
  const inputs: Record<string, Json> = {};
  for (const [input, spec] of Object.entries(specs)) {
    const value = Object.hasOwn(given, input) ? given[input] : spec.default;
    if (value !== undefined) {
      inputs[input] = toJson(value, input);
      const check = await compileSchema(spec.schema);
      problems.push(...check(inputs[input]).map((problem) => `\`${input}\`: ${problem}.`));
    } else if (spec.required) {
      problems.push(
        `\`${input}\` is missing${spec.description === undefined ? '' : ` (${spec.description})`}.`,
      );
    }
  }
  if (problems.length > 0) throw inputError(name, problems);
  return inputs;
}

function unknownInputs(known: readonly string[], given: readonly string[]): string[] {
  return given
    .filter((input) => !known.includes(input))
    .map((input) => {
      const similar = nearest(input, known);
      const all = known.length === 0 ? 'It takes none.' : `It takes: ${known.join(', ')}.`;
      return `There is no input \`${input}\`. ${similar === undefined ? all : `Did you mean \`${similar}\`?`}`;
    });
}

function inputError(name: string, problems: readonly string[]): PitonError {
  const list = problems.map((problem) => `\n  ${problem}`).join('');
  return new PitonError('INPUT_INVALID', `The inputs do not fit the workflow \`${name}\`:${list}`, {
    problems,
  });
}
