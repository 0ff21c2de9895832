import { isPlainObject, PitonError } from '../base/index.ts';

/** One thing wrong with a workflow (or, as a suggestion, one thing that could be better). Lines and columns count from 1. */
export interface Problem {
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** Where in the workflow, in the words of the file: `tasks.build.needs[0]`. */
  readonly path: string;
  /** What to do about it. */
  readonly remedy?: string;
  /** Of an error of syntax: the line, and under it a mark where it went wrong. */
  readonly excerpt?: string;
}

export type Path = readonly (string | number)[];

/** A problem before it is known where in a file it is. */
export interface Finding {
  readonly at: Path;
  readonly message: string;
  readonly remedy?: string;
  /** The same for those who call the builders, where a key of a file has another name, or another form, in code. */
  readonly inCode?: { readonly message?: string; readonly remedy?: string };
  /** Where in the text at `at`, for what is wrong inside an expression. */
  readonly offset?: number;
  /** The key is meant, not its value. */
  readonly onKey?: boolean;
  /** The text as a whole cannot be read as an expression: perhaps it is not what its author wrote. */
  readonly malformed?: boolean;
  /** It is in another file, which the file at `at` names. */
  readonly elsewhere?: { readonly file: string; readonly line: number; readonly column: number };
}

/** Whether something at this place, or inside of it, is known to be wrong: then consequences are not worth telling. */
export function isReported(at: Path, findings: readonly Finding[]): boolean {
  return findings.some((finding) => at.every((step, index) => finding.at[index] === step));
}

/** For those who call the builders: in the words of the builders. */
export function toCodeProblem(finding: Finding): Problem {
  const { at, inCode } = finding;
  const { message = finding.message, remedy = finding.remedy } = inCode ?? {};
  return { message, path: renderPath(codePath(at)), ...(remedy === undefined ? {} : { remedy }) };
}

/** Keys behind which names stand that users have chosen. */
const holders: ReadonlySet<unknown> = new Set([
  'tasks',
  'graph',
  'inputs',
  'state',
  'env',
  'args',
  'with',
  'breakers',
  'outputs',
]);
const keysInCode: Readonly<Record<string, string>> = { next: 'edges', uses: 'workflow' };

function codePath(at: Path): Path {
  return at.map((step, index) => {
    if (typeof step === 'number' || holders.has(at[index - 1])) return step;
    // A file has the nodes themselves under `graph`.
    return step === 'graph' && index < at.length - 1 ? 'nodes' : keyInCode(step);
  });
}

/** What a key of a file is called by the builders: `for-each` is `forEach`. */
export function keyInCode(key: string): string {
  return keysInCode[key] ?? key.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

export function renderPath(path: Path): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
}

/** What stands at a place of a file's value; undefined if nothing does. */
export function valueAt(value: unknown, path: Path): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  return isPlainObject(value) ? valueAt(value[step], rest) : undefined;
}

/** So many are told in the message; `details.problems` holds them all. */
const mostShown = 50;

export function definitionError(problems: readonly Problem[], name: string): PitonError {
  const shown = problems.slice(0, mostShown).map((problem) => `\n  ${describeProblem(problem)}`);
  const hidden = problems.length - shown.length;
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  const rest = hidden > 0 ? `\n  … and ${hidden} more` : '';
  return new PitonError('DEFINITION_INVALID', `${name} has ${count}:${shown.join('')}${rest}`, { problems });
}

/** For people: where, what, and what to do. */
export function describeProblem(problem: Problem): string {
  const { file, line, column, path, message, remedy, excerpt } = problem;
  const position = line === undefined ? [] : [line, column];
  const place = [file, ...position].filter((part) => part !== undefined).join(':');
  const where = [place, path].filter((part) => part !== '').join(' ');
  const told = `${where}${where === '' ? '' : ': '}${message}`;
  const parts = [
    told,
    ...(excerpt === undefined ? [] : [excerpt]),
    ...(remedy === undefined ? [] : [remedy]),
  ];
  return indented(parts.join(excerpt === undefined ? ' ' : '\n'));
}

/** Lines that follow stand under the first. */
function indented(text: string): string {
  return text.replaceAll('\n', '\n      ');
}

/** What is wrong with a pattern; undefined if nothing is. */
export type FaultOfPattern = (pattern: string) => string | undefined;
