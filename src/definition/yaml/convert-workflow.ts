import { isPlainObject, type Json, type JsonObject } from '../../base/index.ts';
import { isReported, type Finding, type Path } from '../problems.ts';
import type { TaskDraft, WorkflowDraft } from '../workflow-draft.ts';
import type { Conversion } from './conversion.ts';
import { toBreakers, toCheckpoint, toRunBudget, toText, toUsageLimits } from './convert-settings.ts';
import { toDelivery } from './convert-delivery.ts';
import { toWorkspace } from './convert-place.ts';
import { convertTask } from './convert-task.ts';
import type { InputEntry, WorkflowFile } from './file-schema.ts';
import { expandSchema, fieldName, isOptionalKey } from './short-schemas.ts';

/** The file in the words of the model. What cannot be said in them goes to the findings. */
export function convertWorkflow(file: WorkflowFile, around: Conversion): WorkflowDraft {
  const { findings } = around;
  const form = file.graph === undefined ? 'tasks' : 'graph';
  findings.push(...checkForm(file, findings));
  return {
    name: file.name,
    version: toText(file.version),
    migrations: file.migrations as WorkflowDraft['migrations'],
    form,
    inputs: convertInputs(file.inputs ?? {}, findings),
    tasks: convertTasks(file, form, around),
    maxParallel: file['max-parallel'],
    failFast: file['fail-fast'],
    outputs: file.outputs as Json | undefined,
    checkpoint: toCheckpoint(file.checkpoint, ['checkpoint'], findings),
    graph: form === 'graph' ? convertGraph(file) : undefined,
    breakers: toBreakers(file.breakers, ['breakers'], findings),
    budget: isReported(['budget'], findings) ? undefined : toRunBudget(file.budget),
    workspace: toWorkspace(file.workspace, [], findings),
    base: file.base,
    cleanup: file.cleanup,
    deliver: toDelivery(file.deliver, around),
    usageLimits: toUsageLimits(file['usage-limits'], ['usage-limits'], findings),
  };
}

function convertTasks(file: WorkflowFile, form: 'tasks' | 'graph', around: Conversion): TaskDraft[] {
  return Object.entries(file[form] ?? {}).map(([name, entry]) =>
    convertTask(name, entry, { at: [form, name], around }),
  );
}

/** A graph without `start` is reported; that it begins nowhere need not be reported too. */
function convertGraph(file: WorkflowFile): NonNullable<WorkflowDraft['graph']> {
  const start = file.start ?? Object.keys(file.graph!)[0] ?? '';
  return { start, state: (file.state ?? {}) as JsonObject, maxSteps: file['max-steps'] };
}

const graphKeys = ['state', 'start', 'max-steps'] as const;

function checkForm(file: WorkflowFile, found: readonly Finding[]): Finding[] {
  const { tasks, graph } = file;
  if (tasks !== undefined && graph !== undefined) {
    const message = 'A workflow has either `tasks` or a `graph`.';
    return [{ at: ['graph'], onKey: true, message, remedy: 'Use the graph from a task, by `uses`.' }];
  }
  if (Object.keys(tasks ?? graph ?? {}).length === 0) {
    if (isReported(['tasks'], found) || isReported(['graph'], found)) return [];
    return [{ at: [], message: 'The workflow has nothing to do.', remedy: 'Give it `tasks`, or a `graph`.' }];
  }
  if (graph === undefined) {
    return graphKeys
      .filter((key) => file[key] !== undefined)
      .map((key) => ({ at: [key], onKey: true, message: `\`${key}\` belongs to a graph; these are tasks.` }));
  }
  if (file.start !== undefined) return [];
  const message = 'A graph needs `start`: the node where it begins.';
  return [{ at: ['graph'], onKey: true, message, remedy: `Add \`start: ${Object.keys(graph)[0]}\`.` }];
}

type Inputs = NonNullable<WorkflowDraft['inputs']>;

function convertInputs(inputs: Readonly<Record<string, InputEntry>>, findings: Finding[]): Inputs {
  return Object.fromEntries(
    Object.entries(inputs).map(([key, entry]) => [
      fieldName(key),
      {
        ...(isOptionalKey(key) ? { required: false } : {}),
        ...convertInput(entry, ['inputs', key], findings),
      },
    ]),
  );
}

function convertInput(entry: InputEntry, at: Path, findings: Finding[]): Inputs[string] {
  if (!isPlainObject(entry)) return { schema: expandSchema(entry, at, findings) };
  const { type, schema, description, required } = entry;
  if ((type === undefined) === (schema === undefined)) {
    findings.push({ at, message: 'An input has either a `type` or a `schema`.' });
  }
  return {
    schema:
      schema === undefined ? expandSchema(type ?? 'any', [...at, 'type'], findings) : (schema as JsonObject),
    ...(required === undefined ? {} : { required }),
    ...(entry.default === undefined ? {} : { default: entry.default as Json }),
    ...(description === undefined ? {} : { description }),
  };
}
