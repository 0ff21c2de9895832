import { nearest } from '../../base/index.ts';
import { checkedType, originalText, type Objection } from './cel-errors.ts';
import type { CelSource } from './cel-source.ts';
import type { Types } from './types.ts';

interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
  readonly end: number;
}

/** What other tools call what we call otherwise. */
const otherWords: Readonly<Record<string, string>> = {
  success: 'succeeded',
  successful: 'succeeded',
  completed: 'succeeded',
  passed: 'succeeded',
  done: 'succeeded',
  ok: 'succeeded',
  failure: 'failed',
  error: 'failed',
  errored: 'failed',
  canceled: 'cancelled',
};

/** What we call a status that others call so. */
export function ourWord(word: string): string {
  return Object.hasOwn(otherWords, word) ? otherWords[word]! : word;
}

/** `ast`: as the checker left it, with types. A comparison with a text that the value can never be, such as a status that is none: it would be false for ever, and say nothing. */
export function impossibleComparison(ast: unknown, source: CelSource, types: Types): Objection | undefined {
  for (const [value, literal] of comparisonsIn(ast)) {
    const choices = choicesOf(value, types);
    if (choices === undefined || choices.includes(literal.args)) continue;
    const meant = [ourWord(literal.args), nearest(literal.args, choices) ?? ''].find((word) =>
      choices.includes(word),
    );
    return {
      code: 'impossible_comparison',
      message: `\`${originalText(value as never, source)}\` is never \`${literal.args}\`.`,
      remedy: meant === undefined ? `It is one of: ${choices.join(', ')}.` : `Did you mean \`${meant}\`?`,
      offset: source.locate(literal.start),
    };
  }
  return undefined;
}

interface Literal extends Node {
  readonly args: string;
}

type Comparison = readonly [value: Node, literal: Literal];

function comparisonsIn(node: unknown): Comparison[] {
  if (Array.isArray(node)) return node.flatMap(comparisonsIn);
  return isNode(node) ? [...comparisonsOf(node), ...comparisonsIn(node.args)] : [];
}

function comparisonsOf({ op, args }: Node): Comparison[] {
  if (!['==', '!=', 'in'].includes(op)) return [];
  const [left, right] = args as [Node, Node];
  if (op === 'in') return right.op === 'list' ? withTexts(left, right.args as Node[]) : [];
  return [...withTexts(left, [right]), ...withTexts(right, [left])];
}

function withTexts(value: Node, others: readonly Node[]): Comparison[] {
  return others.filter(isText).map((literal) => [value, literal]);
}

/** The texts that a field may be, if that is known by the type of its owner. */
function choicesOf(node: Node, types: Types): readonly string[] | undefined {
  const access = accessIn(node);
  const owner = access && checkedType(access.owner);
  return owner === undefined ? undefined : types.choicesOf(owner, access!.field);
}

/** `a.b`, or `a["b"]`. */
function accessIn({ op, args }: Node): { readonly owner: Node; readonly field: string } | undefined {
  if (op !== '.' && op !== '[]') return undefined;
  const [owner, member] = args as [Node, string | Node];
  if (typeof member === 'string') return { owner, field: member };
  return isText(member) ? { owner, field: member.args } : undefined;
}

function isText(node: Node): node is Literal {
  return node.op === 'value' && typeof node.args === 'string';
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'op' in value;
}
