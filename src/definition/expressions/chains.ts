import { hyphenatedName } from './rewrite.ts';
import { isMark, literalText, tokenize, type Token } from './tokens.ts';

/** A variable and the fields read from it by name: `tasks.plan.output` is `tasks` with the steps `plan`, `output`. */
export interface Chain {
  readonly root: string;
  readonly start: number;
  /** Ends before a computed index and before a method. */
  readonly steps: readonly Step[];
}

export interface Step {
  readonly name: string;
  readonly start: number;
}

/** `names`: known names with hyphens, which are steps as a whole. */
export function chainsOf(expression: string, names: ReadonlySet<string>): readonly Chain[] {
  const tokens = tokenize(expression);
  return tokens.flatMap((token, index) => {
    const isRoot =
      token.kind === 'name' && !isMark(tokens[index - 1], '.') && !isMark(tokens[index + 1], '(');
    if (!isRoot) return [];
    const steps = readSteps({ expression, tokens, names }, index + 1);
    return [{ root: token.text, start: token.start, steps }];
  });
}

interface Reading {
  readonly expression: string;
  readonly tokens: readonly Token[];
  readonly names: ReadonlySet<string>;
}

function readSteps(reading: Reading, from: number): Step[] {
  const steps: Step[] = [];
  let next = from;
  for (;;) {
    const read = readStep(reading, next);
    if (read === undefined) return steps;
    steps.push(read.step);
    next = read.next;
  }
}

function readStep(reading: Reading, index: number): { step: Step; next: number } | undefined {
  const { tokens } = reading;
  if (isMark(tokens[index], '.')) return readField(reading, index + 1);
  const name = literalText(tokens[index + 1]);
  if (!isMark(tokens[index], '[') || name === undefined || !isMark(tokens[index + 2], ']')) return undefined;
  return { step: { name, start: tokens[index + 1]!.start }, next: index + 3 };
}

function readField({ expression, tokens, names }: Reading, index: number) {
  const token = tokens[index];
  if (token?.kind !== 'name') return undefined;
  const name = hyphenatedName(expression, token.start, names) ?? token.text;
  let end = index + 1;
  while (end < tokens.length && tokens[end]!.start < token.start + name.length) end++;
  if (isMark(tokens[end], '(')) return undefined;
  return { step: { name, start: token.start }, next: end };
}
