import { isPlainObject } from '../../base/index.ts';
import type { Path } from '../problems.ts';
import type { Notes } from './notes.ts';
import { parseGithubExpression } from './parse-expression.ts';
import { Untranslatable, type MatrixField, type ValueType } from './job-scope.ts';
import { bareCondition } from './translate-text.ts';

type Entry = Readonly<Record<string, unknown>>;

/** A matrix as a for-each, and what expressions see of it. */
export interface TranslatedMatrix {
  readonly forEach: Readonly<Record<string, unknown>>;
  readonly fields: ReadonlyMap<string, MatrixField>;
}

interface Place {
  readonly at: Path;
  readonly notes: Notes;
  readonly job: Entry;
}

/** Undefined: there is none. Throws `Untranslatable`. */
export function translateMatrix(strategy: unknown, place: Place): TranslatedMatrix | undefined {
  if (!isPlainObject(strategy) || strategy['matrix'] === undefined) return undefined;
  if (!isPlainObject(strategy['matrix'])) throw new Untranslatable('its matrix is made by an expression');
  const {
    include = [],
    exclude = [],
    ...lists
  } = withoutUseless(onThisMachine(strategy['matrix'], place), place);
  assertPlain(lists, include, exclude);
  const [axes, included, excluded] = [lists as Axes, include as Entry[], exclude as Entry[]];
  const added = {
    ...(included.length > 0 && { include: included }),
    ...(excluded.length > 0 && { exclude: excluded }),
  };
  return {
    forEach: { matrix: { ...axes, ...added }, ...limitsOf(strategy) },
    fields: fieldsOf(axes, included),
  };
}

type Axes = Readonly<Record<string, readonly unknown[]>>;

function limitsOf({ 'max-parallel': parallel, 'fail-fast': failFast }: Entry): Entry {
  return {
    ...(typeof parallel === 'number' && { 'max-parallel': parallel }),
    ...(failFast === false && { 'fail-fast': false }),
  };
}

function isRecords(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => isPlainObject(entry));
}

function assertPlain(lists: Entry, include: unknown, exclude: unknown): void {
  const arePlain = Object.values(lists).every(Array.isArray) && isRecords(include) && isRecords(exclude);
  if (!arePlain || JSON.stringify([lists, include, exclude]).includes('${{'))
    throw new Untranslatable('its matrix is made by an expression');
  const names = [...Object.keys(lists), ...(include as Entry[]).flatMap((entry) => Object.keys(entry))];
  const odd = names.find((name) => !/^[A-Za-z_][\w-]*$/.test(name) || name === 'constructor');
  if (odd !== undefined) throw new Untranslatable(`\`${odd}\` cannot be a name in expressions`);
}

function fieldsOf(lists: Axes, include: readonly Entry[]): Map<string, MatrixField> {
  const axes = Object.keys(lists);
  const names = new Set([...axes, ...include.flatMap((entry) => Object.keys(entry))]);
  return new Map(
    [...names].map((name) => {
      const given = include.flatMap((entry) => (Object.hasOwn(entry, name) ? [entry[name]] : []));
      const values = [...(lists[name] ?? []), ...given];
      // Where lists are, what is included may be added to some of their combinations only.
      const isEverywhere = axes.includes(name)
        ? include.every((entry) => canFit(entry, name, lists))
        : axes.length === 0 && given.length === include.length;
      return [name, { type: typeOf(values), optional: !isEverywhere, values: values.map(String) }];
    }),
  );
}

/** Whether the entry has the field, or is only added to combinations, which have it. */
function canFit(entry: Entry, name: string, lists: Axes): boolean {
  return (
    Object.hasOwn(entry, name) ||
    Object.entries(entry).every(([key, value]) => lists[key] === undefined || lists[key].includes(value))
  );
}

function typeOf(values: readonly unknown[]): ValueType {
  const kinds = new Set(values.map((value) => typeof value));
  if (kinds.size !== 1) return 'any';
  const [kind] = kinds;
  if (kind === 'string') return 'text';
  if (kind === 'number') return 'number';
  return kind === 'boolean' ? 'bool' : 'any';
}

const otherSystem = /^(windows|macos)/i;

function isOther(label: unknown): label is string {
  return typeof label === 'string' && otherSystem.test(label);
}

/** Without the combinations that are for machines with another system, by the list that `runs-on` reads. */
function onThisMachine(matrix: Entry, { at, notes, job }: Place): Entry {
  const axis = axisOf(job['runs-on']);
  if (axis === undefined) return matrix;
  const values = Array.isArray(matrix[axis]) ? (matrix[axis] as unknown[]) : [];
  const kept = values.filter((value) => !isOther(value));
  const without = (entries: unknown): unknown =>
    Array.isArray(entries)
      ? entries.filter((entry: unknown) => !isPlainObject(entry) || !isOther(entry[axis]))
      : entries;
  const { include, exclude } = matrix;
  const lost = new Set(
    [...values, ...entriesOf(include).map((entry) => entry[axis])].filter(isOther).map(String),
  );
  if (lost.size === 0) return matrix;
  if (kept.length === 0 && entriesOf(without(include)).length === 0)
    throw new Untranslatable(`it runs on ${[...lost].join(', ')} only`);
  notes.todo(
    [...at, 'strategy', 'matrix'],
    `\`${axis}\`: ${[...lost].join(', ')}`,
    'Left out: tasks run on this machine. Another one: `workspace: { remote: <name> }`.',
  );
  return {
    ...matrix,
    ...(Object.hasOwn(matrix, axis) && { [axis]: kept }),
    ...(include !== undefined && { include: without(include) }),
    ...(exclude !== undefined && { exclude: without(exclude) }),
  };
}

/** Without the list that only said on which machine, if one kind of machine is left. */
function withoutUseless(matrix: Entry, { job }: Place): Entry {
  const axis = axisOf(job['runs-on']);
  if (axis === undefined) return matrix;
  const { [axis]: list, include, exclude, ...rest } = matrix;
  const values = new Set([
    ...(Array.isArray(list) ? (list as unknown[]) : []),
    ...entriesOf(include).flatMap((entry) => entry[axis] ?? []),
  ]);
  const isRead = new RegExp(`matrix\\.${axis}\\b`).test(JSON.stringify({ ...job, 'runs-on': '', name: '' }));
  const others = [rest, ...entriesOf(include).map(({ [axis]: _, ...other }) => other)];
  if (values.size !== 1 || isRead || others.every((other) => Object.keys(other).length === 0)) return matrix;
  const without = (entries: unknown): unknown => entriesOf(entries).map(({ [axis]: _, ...other }) => other);
  return {
    ...rest,
    ...(include !== undefined && { include: without(include) }),
    ...(exclude !== undefined && { exclude: without(exclude) }),
  };
}

function entriesOf(value: unknown): Entry[] {
  return Array.isArray(value) ? value.filter((entry) => isPlainObject(entry)) : [];
}

/** `os` of `runs-on: ${{ matrix.os }}`. */
function axisOf(runsOn: unknown): string | undefined {
  const node = typeof runsOn === 'string' ? parseGithubExpression(bareCondition(runsOn)) : undefined;
  return node?.kind === 'path' && node.root === 'matrix' ? node.steps[0] : undefined;
}

/** A job that needs a machine with another system. */
export function otherSystemOf(runsOn: unknown): string | undefined {
  const labels: unknown[] = Array.isArray(runsOn) ? runsOn : [runsOn];
  return labels.find(isOther);
}
