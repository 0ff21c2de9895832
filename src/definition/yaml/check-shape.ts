import type { z } from 'zod';
import { isPlainObject, nearest } from '../../base/index.ts';
import { perDayRemedy } from '../define/check-limits.ts';
import { renderPath, type Finding, type Path } from '../problems.ts';
import { explainIssues, valueAt, type Misfit } from '../schema-issues.ts';
import { workflowFile, type WorkflowFile } from './file-schema.ts';
import { translateKey } from './github-keys.ts';
import { laterTaskKeys, laterWorkflowKeys } from './later-keys.ts';

export interface Shape {
  /** Without the parts that do not fit; undefined if nothing useful is left. */
  readonly file: WorkflowFile | undefined;
  readonly findings: readonly Finding[];
}

/** Keys and kinds of values. What does not fit is taken out, so that the rest can be looked at all the same. */
export function checkShape(value: unknown): Shape {
  const { data, error } = workflowFile.safeParse(value);
  if (error === undefined) return { file: data, findings: [] };
  const misfits = explainIssues(error.issues, value);
  const rest: unknown = structuredClone(value);
  // From behind, so that the places in lists stay right.
  for (const misfit of misfits.toReversed()) takeOut(rest, misfit);
  if (isPlainObject(rest)) rest['name'] ??= placeholders['name'];
  return {
    file: workflowFile.safeParse(rest).data,
    findings: misfits.flatMap((misfit) => describe(misfit, value)),
  };
}

function describe({ at, message, unknownKeys, missing, similar }: Misfit, root: unknown): Finding[] {
  if (unknownKeys !== undefined) return unknownKeys.map((key) => unknownKey(key, at, walk(root, at)?.[key]));
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  const value = valueAt(root, at);
  const meant =
    similar === undefined ? (spacedKey(value) ?? namedTasks(at, value)) : `Did you mean \`${similar}\`?`;
  const remedy = meant === undefined ? {} : { remedy: meant };
  return [{ at: missing === true ? at.slice(0, -1) : at, message: sentence, ...remedy }];
}

/** `run:ls` where there should be a mapping: without a space it is one word. */
function spacedKey(value: unknown): string | undefined {
  const [, key, rest] = (typeof value === 'string' ? /^([\w-]+):(\S.*)/.exec(value) : null) ?? [];
  return key === undefined ? undefined : `Write \`${key}: ${rest}\`, with a space after the colon.`;
}

/** A list of tasks or nodes, as others write steps. */
function namedTasks(at: Path, value: unknown): string | undefined {
  const isList = Array.isArray(value) && ['tasks', 'graph'].includes(String(at.at(-1)));
  return isList ? 'Write each under its name: `test: { run: npm test }`.' : undefined;
}

/** Keys of one form in the other: nearly right, and more helpful than a similar word. */
const ofOtherForm: Readonly<Record<string, string>> = {
  needs: 'A node of a graph has no `needs`; `next` says what follows it.',
  if: 'A node of a graph has no `if`; put it on an edge: `next: [{ if: …, to: … }]`.',
  next: 'Tasks have no `next`: order them with `needs`, or put them under `graph`.',
  update: 'Only the nodes of a graph update a state.',
};

/** Keys that stand elsewhere. */
const misplaced: Readonly<Record<string, string>> = {
  base: 'Only a workflow as a whole has a `base`: put it at the top of the file.',
  cleanup: 'Only a workflow as a whole has a `cleanup`: put it at the top of the file.',
  deliver: 'Only a workflow as a whole delivers: put `deliver` at the top of the file.',
  pool: 'Put it on the task that has the `for-each`.',
  artifacts: 'Put it on the task that makes them.',
  'repository-locks': 'Put it on the tasks that take them.',
  'per-day': `Only a workflow as a whole has a budget per day. ${perDayRemedy}`,
};

function unknownKey(key: string, at: Path, value: unknown): Finding {
  const later = isInTasks(at) ? laterTaskKeys : laterWorkflowKeys;
  const known = keysAt(workflowFile, at).filter((name) => !Object.hasOwn(later, name));
  const similar = nearest(key, known);
  const other = similar === undefined ? `Known here: ${known.join(', ')}.` : `Did you mean \`${similar}\`?`;
  const inner = similar === undefined ? keyAround(key, at, known) : undefined;
  const remedy = translateKey(key, at, value) ?? placeOf(key, at) ?? inner ?? other;
  return { at: [...at, key], onKey: true, message: `There is no key \`${key}\` here.`, remedy };
}

/** Where it belongs, if it is a key of something else. */
function placeOf(key: string, at: Path): string | undefined {
  const reasons = isInTasks(at) ? { ...misplaced, ...ofOtherForm } : misplaced;
  if (Object.hasOwn(reasons, key)) return reasons[key];
  return renderPath(at) === '' || renderPath(at) === 'defaults'
    ? placeOfTaskKey(key, at.length === 0)
    : undefined;
}

/** `revise` beside `check` belongs into it. */
function keyAround(key: string, at: Path, known: readonly string[]): string | undefined {
  const around = known.filter((name) => keysAt(workflowFile, [...at, name]).includes(key));
  return around.length === 1 ? `It belongs in \`${around[0]}\`: \`${around[0]}: { ${key}: … }\`.` : undefined;
}

function placeOfTaskKey(key: string, isTop: boolean): string | undefined {
  const isOfTask = keysAt(workflowFile, ['tasks', '']).includes(key);
  if (!isOfTask && !keysAt(workflowFile, ['graph', '']).includes(key)) return undefined;
  const one = isOfTask ? 'task' : 'node';
  if (!isTop) return `\`${key}\` is no default: put it on each ${one} that is to have it.`;
  const isDefault = keysAt(workflowFile, ['defaults']).includes(key);
  return `Put it on a ${one}${isDefault ? ', or into `defaults`' : ''}.`;
}

/** The keys that the schema knows at a place. */
function keysAt(schema: z.core.$ZodType, path: Path): string[] {
  const { def } = schema as unknown as { def: z.core.$ZodTypes['_zod']['def'] };
  const [step, ...rest] = path;
  switch (def.type) {
    case 'optional':
      return keysAt(def.innerType, path);
    case 'union':
      return def.options.flatMap((option) => keysAt(option, path));
    case 'record':
      return step === undefined ? [] : keysAt(def.valueType, rest);
    case 'array':
      return step === undefined ? [] : keysAt(def.element, rest);
    case 'object': {
      if (step === undefined) return Object.keys(def.shape);
      const inside = def.shape[step];
      return inside === undefined ? [] : keysAt(inside, rest);
    }
    default:
      return [];
  }
}

/** For keys that must be there, so that the rest can be looked at. */
const placeholders: Readonly<Record<string, string>> = { name: 'unnamed', to: 'end', file: '', run: ':' };

function takeOut(root: unknown, { at, unknownKeys, missing }: Misfit): void {
  if (unknownKeys !== undefined) unknownKeys.forEach((key) => remove(root, [...at, key]));
  else if (missing === true) putIn(root, at);
  else remove(root, at);
}

function putIn(root: unknown, path: Path): void {
  const owner = walk(root, path.slice(0, -1));
  const key = String(path.at(-1));
  if (owner !== undefined) owner[key] = placeholders[key];
}

/** By the key of a task. */
const standIns: Readonly<Record<string, string>> = { output: 'any', prompt: '…' };

/** What others rely on stays in some form: a task, which may be needed by name, that it has an output, or a prompt. */
function remove(root: unknown, path: Path): void {
  const owner = walk(root, path.slice(0, -1));
  const key = path.at(-1);
  if (owner === undefined || key === undefined) return;
  if (Array.isArray(owner)) owner.splice(Number(key), 1);
  else if (isInTasks(path)) owner[key] = {};
  else if (Object.hasOwn(standIns, key) && isInTasks(path.slice(0, -1))) owner[key] = standIns[key];
  else delete owner[key];
}

function isInTasks(path: Path): boolean {
  return path.at(-2) === 'tasks' || path.at(-2) === 'graph';
}

function walk(root: unknown, path: Path): Record<string, unknown> | undefined {
  let inside = root;
  for (const step of path) inside = (inside as Record<string, unknown> | undefined)?.[step];
  return typeof inside === 'object' && inside !== null ? (inside as Record<string, unknown>) : undefined;
}
