import { asError } from '../../base/index.ts';
import type { JsonSchema } from '../../model/index.ts';
import type { Finding, Path } from '../problems.ts';
import { createSchemaCheck, type SchemaCheck } from '../schema-check.ts';
import type { TaskDraft, WorkflowDraft } from '../workflow-draft.ts';
import { formOf } from '../define/scope.ts';

/** Schemas that cannot be used, and defaults that do not fit theirs: found now, not in the middle of a run. */
export function checkSchemas(draft: WorkflowDraft, at: Path = []): Finding[] {
  return [
    ...Object.entries(draft.inputs ?? {}).flatMap(([name, input]) =>
      checkInput(input, [...at, 'inputs', name]),
    ),
    ...draft.tasks.flatMap((task) => checkTask(task, [...at, formOf(draft), task.name])),
  ];
}

type Input = NonNullable<WorkflowDraft['inputs']>[string];

function checkInput({ schema, default: value }: Input, at: Path): Finding[] {
  const { check, findings } = read(schema, at);
  if (check === undefined || value === undefined) return findings;
  return check(value).map((problem) => ({
    at: [...at, 'default'],
    message: `The default does not fit: ${problem}.`,
  }));
}

function checkTask({ output, work }: TaskDraft, at: Path): Finding[] {
  return [
    ...(output === undefined ? [] : read(output, [...at, 'output']).findings),
    ...(work.type === 'workflow' && work.inherits === true ? checkSchemas(work.workflow, at) : []),
  ];
}

function read(schema: JsonSchema, at: Path): { check?: SchemaCheck; findings: Finding[] } {
  try {
    return { check: createSchemaCheck(schema), findings: [] };
  } catch (error) {
    return { findings: [{ at, message: asError(error).message }] };
  }
}
