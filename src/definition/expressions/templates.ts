import { isMark, nextToken } from './tokens.ts';

/** A text in which `${{ }}` marks expressions, taken apart. */
export interface Template {
  readonly parts: readonly Part[];
  readonly fault?: TemplateFault;
}

export type Part = { readonly text: string } | ExpressionPart;

export interface ExpressionPart {
  readonly expression: string;
  /** Where the expression itself begins in the whole text. */
  readonly start: number;
}

export interface TemplateFault {
  readonly type: 'unclosed' | 'empty' | 'partial';
  /** Of the `${{` concerned. */
  readonly offset: number;
}

const opening = '${{';

export function hasExpression(text: string): boolean {
  return text.includes(opening);
}

export function splitTemplate(text: string): Template {
  const parts: Part[] = [];
  let done = 0;
  for (let open = text.indexOf(opening); open >= 0; open = text.indexOf(opening, done)) {
    const close = findClosing(text, open + opening.length);
    if (close === undefined) return { parts, fault: { type: 'unclosed', offset: open } };
    const part = trimmedExpression(text.slice(open + opening.length, close), open + opening.length);
    if (part.expression === '') return { parts, fault: { type: 'empty', offset: open } };
    if (open > done) parts.push({ text: text.slice(done, open) });
    parts.push(part);
    done = close + 2;
  }
  if (done < text.length) parts.push({ text: text.slice(done) });
  return { parts };
}

/** The expressions of a template, without the text between them. */
export function expressionsOf({ parts }: Template): readonly ExpressionPart[] {
  return parts.filter((part) => 'expression' in part);
}

/** The first `}}` that is neither in a text literal nor the end of two nested maps. */
function findClosing(text: string, from: number): number | undefined {
  let depth = 0;
  for (let token = nextToken(text, from); token !== undefined; token = nextToken(text, token.end)) {
    if (isMark(token, '{')) depth++;
    if (!isMark(token, '}')) continue;
    if (depth === 0 && text[token.end] === '}') return token.start;
    depth--;
  }
  return undefined;
}

function trimmedExpression(inside: string, start: number): ExpressionPart {
  return { expression: inside.trim(), start: start + inside.length - inside.trimStart().length };
}
