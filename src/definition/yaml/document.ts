import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Node,
  type Scalar,
  type YAMLError,
} from 'yaml';
import { asError } from '../../base/index.ts';
import { checkNodes } from './check-nodes.ts';
import { commentAfter, cutRemedy } from './cut-text.ts';
import { renderPath, type Finding, type Path, type Problem } from '../problems.ts';
import { mendOf, type Source } from './syntax-mends.ts';

/** A file's text, what YAML makes of it, and where everything stands in it. */
export interface SourceDocument {
  readonly value: unknown;
  /** What YAML itself has against it; then `value` is not to be used. */
  readonly problems: readonly Problem[];
  /** What is wrong with it that `value` does not show. */
  readonly findings: readonly Finding[];
  locate(finding: Finding): Problem;
}

/** Far more than anybody writes by hand. */
const mostCharacters = 1_048_576;

export function readDocument(text: string, file: string): SourceDocument {
  if (text.length > mostCharacters) return refuse(file, 'The file is bigger than 1 MiB.');
  try {
    return openDocument(parseSource(text, file));
  } catch (error) {
    // The library counts what aliases expand to, and stops when a small text becomes a huge value.
    return refuse(file, `The aliases (\`*name\`) in this file cannot be used: ${asError(error).message}.`);
  }
}

function parseSource(text: string, file: string): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    merge: true,
    stringKeys: true,
    // Says no more than `silent`, but counts a second document as an error.
    logLevel: 'error',
  });
  return { text, file, lines, document };
}

function openDocument(source: Source): SourceDocument {
  const { document, text } = source;
  const locate = (finding: Finding) => locateFinding(source, finding);
  const broken = (problems: readonly Problem[]) => ({ value: undefined, locate, problems, findings: [] });
  if (document.errors.length + unknownTags(source).length > 0) return broken(syntaxProblems(source));
  const { findings, unusable } = checkNodes(document, text);
  return unusable ? broken(findings.map(locate)) : { value: document.toJS(), locate, problems: [], findings };
}

function refuse(file: string, message: string): SourceDocument {
  const locate = ({ at, message }: Finding): Problem => ({ file, path: renderPath(at), message });
  return {
    value: undefined,
    locate,
    problems: [{ message, file, line: 1, column: 1, path: '' }],
    findings: [],
  };
}

/** What follows the first error of syntax follows from it, and would mislead. Keys that are there twice have no consequences. */
function syntaxProblems(source: Source): Problem[] {
  const { errors } = source.document;
  if (errors.length === 0) return unknownTags(source).map((warning) => syntaxProblem(source, warning));
  const last = errors.findIndex(({ code }) => code !== 'DUPLICATE_KEY');
  return errors.slice(0, last === -1 ? errors.length : last + 1).map((error) => syntaxProblem(source, error));
}

/** A tag that nobody knows, such as `!failure()`, is no error to YAML: the text would be gone. */
function unknownTags({ document }: Source): readonly YAMLError[] {
  return document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED');
}

function syntaxProblem(source: Source, error: YAMLError): Problem {
  const mend = mendOf(source, error);
  const place = position(source, mend?.at ?? error.pos[0]);
  const remedy = mend?.remedy ?? remedyOf(mend?.mended);
  return {
    ...place,
    file: source.file,
    path: '',
    message: mend?.message ?? `${error.message}.`.replace(/\.\.$/, '.'),
    excerpt: excerptOf(source, place),
    ...(remedy !== undefined && { remedy }),
  };
}

function remedyOf(mended: string | undefined): string | undefined {
  return mended === undefined || mended.length > 2 * longestExcerpt ? undefined : `Write:\n${mended}`;
}

const longestExcerpt = 100;

/** The line, and under it a mark. Of a long one what is around. */
function excerptOf({ text, lines }: Source, { line, column }: { line: number; column: number }): string {
  const whole = text
    .slice(lines.lineStarts[line - 1])
    .split('\n', 1)[0]!
    .replaceAll('\t', ' ');
  const from = column <= longestExcerpt ? 0 : column - longestExcerpt / 2;
  return `${whole.slice(from, from + longestExcerpt)}\n${' '.repeat(column - 1 - from)}^`;
}

function position({ lines }: Source, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

function locateFinding(source: Source, finding: Finding): Problem {
  const { node, key } = findNode(source.document, finding.at);
  const pointed = finding.onKey === true ? (key ?? node) : node;
  const remedy =
    finding.malformed === true && isScalar(pointed) && commentAfter(source.text, pointed)
      ? cutRemedy
      : finding.remedy;
  return {
    message: finding.message,
    ...(finding.elsewhere ?? {
      file: source.file,
      ...position(source, offsetOf(source, pointed, finding.offset)),
    }),
    path: renderPath(finding.at),
    ...(remedy === undefined ? {} : { remedy }),
  };
}

function offsetOf({ text }: Source, node: Node | undefined, offset: number | undefined): number {
  return offset !== undefined && isScalar(node) ? offsetInText(text, node, offset) : (node?.range?.[0] ?? 0);
}

interface Found {
  readonly node: Node | undefined;
  readonly key?: Node | undefined;
}

/** The node at the path, or the deepest that is on the way to it. */
function findNode(document: Document.Parsed, path: Path): Found {
  let found: Found = { node: document.contents as Node | undefined };
  for (const step of path) {
    const next = stepInto(document, found.node, step);
    if (next?.node === undefined) break;
    found = next;
  }
  return found;
}

function stepInto(
  document: Document.Parsed,
  node: Node | undefined,
  step: string | number,
): Found | undefined {
  const inside = isAlias(node) ? node.resolve(document) : node;
  if (isSeq<Node>(inside)) return { node: typeof step === 'number' ? inside.items[step] : undefined };
  if (!isMap<Scalar, Node>(inside)) return undefined;
  const pair = inside.items.find(({ key }) => key.value === String(step) || key.value === `${step}?`);
  return pair && { node: pair.value ?? pair.key, key: pair.key };
}

/** Where in the file a character of a scalar stands; where escapes and folding blur that, where its expression begins. */
function offsetInText(text: string, { value, type, range }: Scalar, offset: number): number {
  const [start, end] = range!;
  const before = String(value).slice(0, offset);
  const begin = type === 'PLAIN' ? start : start + 1;
  if (text.startsWith(before, begin)) return begin + offset;
  const opening = nthOpening(text.slice(start, end), before.split('${{').length - 1);
  const inside = before.slice(before.lastIndexOf('${{'));
  return start + opening + (text.startsWith(inside, start + opening) ? inside.length : 0);
}

function nthOpening(raw: string, count: number): number {
  let found = -1;
  for (let left = count; left > 0; left--) found = raw.indexOf('${{', found + 1);
  return Math.max(found, 0);
}
