import type { Json } from '../../base/index.ts';
import type { EdgeSpec, JsonSchema } from '../../model/index.ts';
import { suggestNearest } from '../define/suggestions.ts';
import { actionOf, replacementOf } from '../github-actions.ts';
import { asIdentifier, renameVariables } from '../expressions/rewrite.ts';
import { isReported, type Path } from '../problems.ts';
import type { ForEachDraft, TaskDraft, WorkDraft } from '../workflow-draft.ts';
import type { Conversion } from './conversion.ts';
import { convertAgent, convertCheck } from './convert-agent.ts';
import { convertCommand, convertErrors } from './convert-command.ts';
import { convertAsk } from './convert-ask.ts';
import { convertPlace } from './convert-place.ts';
import { toList, toMilliseconds, toRetry, toText } from './convert-settings.ts';
import type { NodeEntry, TaskEntry } from './file-schema.ts';
import { renameInValue } from './rename-in-values.ts';
import { expandSchema } from './short-schemas.ts';
import { findMisplacedKeys, withDefaults, type Entry } from './task-keys.ts';

export function convertTask(
  name: string,
  entry: TaskEntry | NodeEntry,
  place: { at: Path; around: Conversion },
): TaskDraft {
  const { at, around } = place;
  const { findings } = around;
  findings.push(...findMisplacedKeys(entry as Entry, around, at));
  const task = withDefaults(entry as Entry, around);
  const forEach = withSettings(task['for-each']);
  const inside = { ...around, variables: withVariable(around.variables, forEach?.as) };
  const work = convertWork(name, task, { at, around: inside });
  return {
    name,
    needs: toList(task.needs),
    if: task.if === undefined ? undefined : renameVariables(String(task.if), around.variables),
    forEach: forEach && convertForEach(forEach, [...at, 'for-each'], { around, inside }),
    work,
    output: convertOutput(task.output, work, { at: [...at, 'output'], around }),
    retry: toRetry(task.retry, [...at, 'retry'], findings),
    timeoutMs: toMilliseconds(task.timeout, [...at, 'timeout'], findings),
    continueOnError: task['continue-on-error'],
    priority: task.priority,
    locks: toList(task.locks),
    repositoryLocks: toList(task['repository-locks']),
    writes: toList(task.writes),
    onInterrupt: task['on-interrupt'],
    approval: renameInValue(task.approval, inside.variables),
    check: convertCheck(task, inside.variables),
    ...convertPlace(task, { at, around: inside }),
    resources: toList(task.resources),
    errors: convertErrors(task.errors),
    version: toText(task.version),
    update: renameInValue(task.update, around.variables),
    next: convertNext(task.next),
  };
}

function withVariable(variables: ReadonlySet<string>, name: string | undefined): ReadonlySet<string> {
  return name?.includes('-') === true ? new Set([...variables, name]) : variables;
}

type ForEachSettings = Exclude<NonNullable<Entry['for-each']>, string | readonly unknown[]>;

/** `for-each: [a, b]` and `for-each: ${{ inputs.sites }}` name the list alone. */
function withSettings(forEach: Entry['for-each']): ForEachSettings | undefined {
  return typeof forEach === 'string' || Array.isArray(forEach) ? { in: forEach } : forEach;
}

function convertForEach(
  forEach: ForEachSettings,
  at: Path,
  { around, inside }: { around: Conversion; inside: Conversion },
): ForEachDraft {
  const { in: list, matrix } = forEach;
  if ((list === undefined) === (matrix === undefined)) {
    const message = 'A for-each needs either `in` (a list) or `matrix` (lists by name).';
    around.findings.push({ at, message });
  }
  return {
    in: renameInValue(list ?? matrix ?? [], around.variables)!,
    matrix: matrix !== undefined,
    as: forEach.as === undefined ? undefined : asIdentifier(forEach.as),
    key: renameInValue(forEach.key, inside.variables),
    maxParallel: forEach['max-parallel'],
    maxFailures: forEach['max-failures'],
    failFast: forEach['fail-fast'],
  };
}

const kinds = ['run', 'prompt', 'ask', 'function', 'uses', 'tasks'] as const;
const nothing: WorkDraft = { type: 'function', function: '' };

function convertWork(name: string, task: Entry, { at, around }: { at: Path; around: Conversion }): WorkDraft {
  const [kind, second] = kinds.filter((key) => task[key] !== undefined);
  const { findings } = around;
  if (kind === undefined) {
    const remedy = 'Give it `run`, `prompt`, `ask`, `function`, `uses` or `tasks`.';
    const finding = { at, onKey: true, message: `\`${name}\` says nothing to do.`, remedy };
    // What it should do may be what has been found to be wrong with it.
    if (!isReported(at, findings)) findings.push(finding);
    return nothing;
  }
  if (second !== undefined) {
    const message = `\`${name}\` is done by \`${kind}\`; it cannot have \`${second}\` too.`;
    findings.push({ at: [...at, second], onKey: true, message });
  }
  return convertKind(kind, task, { name, at, around });
}

function convertKind(
  kind: (typeof kinds)[number],
  task: Entry,
  { name, at, around }: { readonly name: string; readonly at: Path; readonly around: Conversion },
): WorkDraft {
  const given = renameInValue(task.with, around.variables);
  switch (kind) {
    case 'run':
      return convertCommand(task, around.variables);
    case 'prompt':
      return convertAgent(task, { at, around });
    case 'ask':
      return convertAsk(task.ask!, { at: [...at, 'ask'], around });
    case 'function':
      return convertFunction(task.function!, given, { at: [...at, 'function'], around });
    case 'uses':
      return convertUses(task.uses!, given, { at: [...at, 'uses'], around });
    case 'tasks':
      return { type: 'workflow', workflow: convertBody(name, task, { at, around }), inherits: true };
  }
}

function convertUses(
  path: string,
  given: Json | undefined,
  { at, around }: { at: Path; around: Conversion },
): WorkDraft {
  const action = actionOf(path);
  if (action !== undefined) {
    const message = `\`${path}\` is an action of GitHub; \`uses\` is the path of a workflow file.`;
    around.findings.push({ at, message, remedy: replacementOf(action) });
    return nothing;
  }
  const workflow = around.use(path, at);
  return workflow === undefined ? nothing : { type: 'workflow', workflow, inherits: false, with: given };
}

/** Of work that could not be understood, any output is possible. */
function convertOutput(
  output: Entry['output'],
  work: WorkDraft,
  { at, around }: { at: Path; around: Conversion },
): JsonSchema | undefined {
  if (output !== undefined) return expandSchema(output, at, around.findings);
  return work === nothing ? {} : undefined;
}

function convertFunction(
  name: string,
  given: Json | undefined,
  { at, around }: { at: Path; around: Conversion },
): WorkDraft {
  const { functions, findings } = around;
  if (functions !== undefined && !functions.includes(name)) {
    findings.push({ at, message: `There is no function \`${name}\`.`, ...suggestNearest(name, functions) });
  }
  return { type: 'function', function: name, ...(given === undefined ? {} : { with: given }) };
}

function convertBody(name: string, task: Entry, { at, around }: { at: Path; around: Conversion }) {
  if (task.with !== undefined) {
    const message = '`with` is for functions and workflow files; tasks inside see the variables around them.';
    around.findings.push({ at: [...at, 'with'], onKey: true, message });
  }
  const entries = Object.entries(task.tasks!);
  return {
    name,
    tasks: entries.map(([inner, entry]) =>
      convertTask(inner, entry, { at: [...at, 'tasks', inner], around }),
    ),
  };
}

function convertNext(next: Entry['next']): readonly EdgeSpec[] | undefined {
  if (next === undefined) return undefined;
  if (typeof next === 'string') return [{ to: next }];
  return next.map((edge) => (edge.if === undefined ? { to: edge.to } : { if: String(edge.if), to: edge.to }));
}
