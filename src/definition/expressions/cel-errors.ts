import type { ASTNode } from '@marcbachmann/cel-js';
import { asError } from '../../base/index.ts';
import type { CelSource } from './cel-source.ts';

/** What CEL has against an expression, in our words and at a place of the original text. */
export interface Objection {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
  readonly offset: number;
  /** The part of the expression that CEL pointed at, as far as it was parsed. */
  readonly node?: ASTNode;
}

interface CelError extends Error {
  readonly code: string;
  readonly summary: string;
  readonly range?: { readonly start: number };
  readonly node?: ASTNode;
}

export function explainCelError(thrown: unknown, source: CelSource): Objection {
  const error = asError(thrown);
  if (!isCelError(error)) return { code: 'unknown', message: error.message, offset: 0 };
  const { code, node } = error;
  const offset = source.locate(error.range?.start ?? 0);
  const wording = wordings[code]?.(error, source) ?? explainAnything(error);
  return { code, offset, ...wording, ...(node?.op === undefined ? {} : { node }) };
}

function isCelError(error: Error): error is CelError {
  return typeof (error as Partial<CelError>).summary === 'string';
}

function explainAnything({ name, summary }: CelError) {
  if (name !== 'ParseError') return { message: `${plainTypes(summary)}.` };
  return { message: `It is not an expression: ${summary.replace('EOF', 'end')}.` };
}

type Wording = (error: CelError, source: CelSource) => { message: string; remedy?: string };

const wordings: Readonly<Record<string, Wording>> = {
  unknown_variable: ({ summary }) => ({ message: `There is no variable \`${lastWord(summary)}\` here.` }),
  no_such_key: explainMissingField,
  no_such_overload: explainOperator,
  no_matching_overload: ({ summary }) => ({
    message: `There is no function \`${ownNames(plainTypes(summary.split("'")[1] ?? summary))}\`.`,
  }),
  index_out_of_bounds: ({ summary }) => ({ message: `${summary.replace('No such key: ', '')}.` }),
};

/** Under which we have them in CEL, as people know them. */
function ownNames(text: string): string {
  return text.replace(/\b(has|matches)_\(/, '$1(');
}

function lastWord(text: string): string {
  return text.slice(text.lastIndexOf(' ') + 1);
}

function explainMissingField({ summary, node }: CelError, source: CelSource) {
  const field = summary.replace('No such key: ', '');
  if (node?.op !== '.' && node?.op !== '[]') return { message: `There is no field \`${field}\`.` };
  const owner = originalText(node.args[0], source);
  const message = `\`${owner}\` has no field \`${field}\`.`;
  if (field === 'output' && /^(tasks|needs)\b/.test(owner)) {
    const remedy = `Only a task that has succeeded has an output; has(${owner}.output) tells whether it has.`;
    return { message, remedy };
  }
  return { message, remedy: `Where it may be missing, ask has(${owner}.${field}) first.` };
}

function explainOperator({ summary, node }: CelError, source: CelSource) {
  const operation = plainTypes(summary.replace('no such overload: ', ''));
  if (node?.op === '*' && source.original[source.locate(node.args[1].start)] === '/') {
    return { message: `${operation.split(' * ')[0]} cannot be divided.` };
  }
  const message = `\`${operation}\` is not possible.`;
  const joinsText = node?.op === '+' && operation.split(' + ').includes('string');
  return joinsText ? { message, remedy: 'string() makes text of a number.' } : { message };
}

/** What was written where a node is. */
export function originalText(node: ASTNode, source: CelSource): string {
  return source.original.slice(source.locate(node.start), source.locate(node.end));
}

/** Left on the node by CEL's checker. */
export function checkedType(node: object): string | undefined {
  return (node as { checkedType?: { name?: string } }).checkedType?.name;
}

/** CEL's names of types, without the distinctions that users of JSON do not make. */
export function plainTypes(text: string): string {
  return text
    .replace(/dyn<([^<>]*(?:<[^<>]*>)?)>/g, '$1')
    .replace(/\b(int|uint|double)\b/g, 'number')
    .replace(/\bbool\b/g, 'boolean')
    .replace(/\bdyn\b/g, 'any')
    .replace(/\bobject\d+\b/g, 'object');
}
