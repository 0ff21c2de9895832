import { canonicalJson, formatDuration, type Json } from '../base/index.ts';
import { isFunctionRef, type TaskSpec, type Workflow } from '../model/index.ts';

/** One field that differs between two definitions, with the values in short. Absent values: the field is not there. */
export interface ChangedField {
  /** As it is written in a workflow file. */
  readonly field: string;
  readonly before?: string;
  readonly after?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Follow from other fields, which are told. */
const derived = new Set(['name', 'reads', 'hash', 'format', 'tasks', 'form']);

/** The fields of a task that differ. What is inside of a nested workflow is not looked at. */
export function changedFields(before: TaskSpec, after: TaskSpec): ChangedField[] {
  const isSameKind = before.work.type === after.work.type;
  const works = isSameKind ? differing(insideOf(before), insideOf(after)) : [changedKind(before, after)];
  const loops = differing(prefixed('forEach', before.forEach), prefixed('forEach', after.forEach));
  const { work: _, forEach: __, ...old } = before;
  const { work: ___, forEach: ____, ...now } = after;
  return [...works, ...loops, ...differing(old, now)];
}

/** The keys of a workflow that differ, without its tasks. */
export function changedKeys(
  { graph: old, ...before }: Workflow,
  { graph, ...after }: Workflow,
): ChangedField[] {
  return [...differing(before, after), ...differing({ ...old }, { ...graph })];
}

/** Of a nested workflow only what is said around it: the rest is compared task by task. */
function insideOf({ work }: TaskSpec): Fields {
  const { type: _, ...fields } = work;
  if (work.type === 'ask') return prefixed('ask', fields);
  if (work.type !== 'workflow') return fields;
  const { workflow: __, ...around } = fields as Fields;
  return around;
}

function prefixed(name: string, fields: object = {}): Fields {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [`${name}.${key}`, value]));
}

const kinds: Readonly<Record<TaskSpec['work']['type'], string>> = {
  function: 'a function',
  workflow: 'a workflow',
  command: 'a command',
  agent: 'an agent',
  deliver: 'a delivery',
  ask: 'a question',
};

function changedKind(before: TaskSpec, after: TaskSpec): ChangedField {
  return { field: 'work', before: kinds[before.work.type], after: kinds[after.work.type] };
}

function differing(before: Fields, after: Fields): ChangedField[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => !derived.has(name) && !isSame(before[name], after[name]))
    .map((name) => {
      const [old, now] = inShort(textOf(name, before[name]), textOf(name, after[name]));
      return {
        field: writtenName(name),
        ...(old !== undefined && { before: old }),
        ...(now !== undefined && { after: now }),
      };
    });
}

export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return canonicalJson(a as Json) === canonicalJson(b as Json);
}

const written: Readonly<Record<string, string>> = {
  agents: 'agent',
  pr: 'deliver',
  'ask.answer': 'ask.type',
};

/** `idleTimeoutMs` is `idle-timeout` in a file. */
export function writtenName(name: string): string {
  const plain = written[name] ?? name.replace(/Ms$/, '');
  return plain.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function textOf(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (isFunctionRef(value)) return 'a function';
  if (typeof value === 'number' && name.endsWith('Ms')) return formatDuration(value);
  if (typeof value === 'string') return value;
  if (name === 'check') return textOf('run', (value as { work: { run: unknown } }).work.run);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  return canonicalJson(value as Json);
}

const mostShown = 48;
const shownBefore = 12;

/** Of long texts, the place where they begin to differ. */
function inShort(
  before: string | undefined,
  after: string | undefined,
): [string | undefined, string | undefined] {
  const [old = '', now = ''] = [before, after];
  let same = 0;
  while (same < old.length && same < now.length && old[same] === now[same]) same++;
  const isLong = Math.max(old.length, now.length) > mostShown;
  const from = isLong && before !== undefined && after !== undefined ? Math.max(0, same - shownBefore) : 0;
  return [cut(before, from), cut(after, from)];
}

function cut(text: string | undefined, from: number): string | undefined {
  if (text === undefined) return undefined;
  const rest = text.slice(from, from + mostShown).replaceAll(/\s+/g, ' ');
  return `${from > 0 ? '…' : ''}${rest}${text.length > from + mostShown ? '…' : ''}`;
}
