import { isPlainObject } from '../../base/index.ts';
import { isFunctionRef, type InputSpec, type Workflow } from '../../model/index.ts';
import type { Finding, Path } from '../problems.ts';
import type { TaskDraft, WorkDraft } from '../workflow-draft.ts';
import { suggestNearest } from './suggestions.ts';

/** What a task hands to the inputs of the workflow it uses, as far as it can be seen without running. */
export function checkChildInputs(task: TaskDraft, work: WorkDraft, at: Path): Finding[] {
  if (work.type !== 'workflow' || work.inherits === true || isFunctionRef(work.with)) return [];
  // A text that is one expression may give anything.
  if (typeof work.with === 'string') return [];
  if (work.with !== undefined && !isPlainObject(work.with)) {
    return [
      { at: [...at, 'with'], message: `\`${task.name}\` must give the inputs of its workflow by name.` },
    ];
  }
  const { inputs, name } = work.workflow as Workflow;
  const given = Object.keys(work.with ?? {});
  return [...unknownInputs(given, inputs, [...at, 'with']), ...missingInputs(given, inputs, { at, name })];
}

type Inputs = Readonly<Record<string, InputSpec>>;

function unknownInputs(given: readonly string[], inputs: Inputs, at: Path): Finding[] {
  return given
    .filter((name) => !Object.hasOwn(inputs, name))
    .map((name) => ({
      at: [...at, name],
      onKey: true,
      message: `The workflow used here has no input \`${name}\`.`,
      ...suggestNearest(name, Object.keys(inputs)),
    }));
}

function missingInputs(
  given: readonly string[],
  inputs: Inputs,
  child: { at: Path; name: string },
): Finding[] {
  return Object.keys(inputs)
    .filter((name) => inputs[name]!.required && !given.includes(name))
    .map((name) => ({
      at: [...child.at, 'with'],
      message: `The workflow \`${child.name}\` needs the input \`${name}\`.`,
      remedy: `Give it with \`with: { ${name}: … }\`.`,
      inCode: { remedy: `Give it with \`with: () => ({ ${name}: … })\`.` },
    }));
}
