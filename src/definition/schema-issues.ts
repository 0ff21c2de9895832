import type { z } from 'zod';
import { isPlainObject, nearest } from '../base/index.ts';
import { renderPath, type Path } from './problems.ts';

type Issue = z.core.$ZodIssue;

/** One thing that does not fit a schema, in our words. */
export interface Misfit {
  readonly at: Path;
  readonly message: string;
  /** Keys that the schema does not know, at `at`. */
  readonly unknownKeys?: readonly string[];
  /** A key that must be there is not: the last step of `at`. */
  readonly missing?: boolean;
  /** What could have been meant by the text that was found. */
  readonly similar?: string;
}

export function explainIssues(issues: readonly Issue[], value: unknown): Misfit[] {
  return issues.flatMap((issue) => explainIssue(issue, value, []));
}

/** `parts[0].name: expected text, found a number (3)`. */
export function describeMisfit({ at, message }: Misfit): string {
  return at.length === 0 ? message : `${renderPath(at)}: ${message}`;
}

function explainIssue(issue: Issue, value: unknown, around: Path): Misfit[] {
  const at = [...around, ...(issue.path as Path)];
  if (issue.code === 'invalid_union') return explainUnion(issue.errors, value, at);
  const found = valueAt(value, at);
  switch (issue.code) {
    case 'invalid_type':
      return [misfit(at, expectedBy([issue]), found)];
    case 'invalid_value':
      return [{ at, ...expected(expectedBy([issue]), found) }];
    case 'unrecognized_keys': {
      const keys = issue.keys.map((key) => `\`${key}\``).join(', ');
      return [{ at, message: `unknown: ${keys}`, unknownKeys: issue.keys }];
    }
    default:
      return [{ at, message: issue.message.charAt(0).toLowerCase() + issue.message.slice(1) }];
  }
}

/** Whoever got past the first look at the value is what was meant; if nobody did, all of them are named. */
function explainUnion(branches: readonly (readonly Issue[])[], value: unknown, at: Path): Misfit[] {
  const meant = branches.find((issues) => !issues.some(isMismatch));
  if (meant !== undefined) return meant.flatMap((issue) => explainIssue(issue, value, at));
  return [misfit(at, [...new Set(branches.flatMap(expectedBy))], valueAt(value, at))];
}

function misfit(at: Path, kinds: readonly string[], found: unknown): Misfit {
  return found === undefined && at.length > 0
    ? { at, message: `\`${at.at(-1)}\` is missing`, missing: true }
    : { at, ...expected(kinds, found) };
}

function isMismatch({ code, path }: Issue): boolean {
  return (
    path.length === 0 && (code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union')
  );
}

function expectedBy(issues: readonly Issue[]): string[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'invalid_type') return [kindName(issue.expected)];
    if (issue.code === 'invalid_value') return issue.values.map((entry) => JSON.stringify(entry));
    return issue.code === 'invalid_union' ? issue.errors.flatMap(expectedBy) : [];
  });
}

function expected(kinds: readonly string[], found: unknown): Pick<Misfit, 'message' | 'similar'> {
  const wanted = kinds.length > 1 ? `${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1)}` : kinds.join('');
  const message = `expected ${wanted}, found ${describeFound(found)}`;
  const words = kinds.filter((kind) => kind.startsWith('"')).map((kind) => JSON.parse(kind) as string);
  const similar = typeof found === 'string' ? nearest(found, words) : undefined;
  return similar === undefined ? { message } : { message, similar };
}

const kindNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  null: 'nothing',
};

function kindName(kind: string): string {
  return kindNames[kind] ?? kind;
}

function describeFound(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (isPlainObject(value)) return 'a mapping';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inside, step) =>
      typeof inside === 'object' && inside !== null ? (inside as Record<string, unknown>)[step] : undefined,
    value,
  );
}
