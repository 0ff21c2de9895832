import { isAlias, isMap, isScalar, isSeq, type Document, type Node, type Scalar } from 'yaml';
import type { Finding, Path } from '../problems.ts';
import { cutRemedy, isCut, isTextPlace } from './cut-text.ts';

export interface NodeFindings {
  readonly findings: readonly Finding[];
  /** The value of the document would be endless, or too deep to be looked at. */
  readonly unusable: boolean;
}

/** What is lost or changed when YAML becomes plain values: seen only while its nodes are still there. */
export function checkNodes(document: Document.Parsed, text: string): NodeFindings {
  const walk: Walk = { document, text, findings: [], unusable: false };
  visit(document.contents, { at: [], around: [] }, walk);
  return walk;
}

interface Walk extends NodeFindings {
  readonly document: Document.Parsed;
  readonly text: string;
  readonly findings: Finding[];
  unusable: boolean;
}

interface Place {
  readonly at: Path;
  /** The nodes that this one is a part of. */
  readonly around: readonly Node[];
}

/** Far more than anybody writes, and far less than the stack can bear. */
const deepest = 100;

function visit(node: Node | null, place: Place, walk: Walk): void {
  if (place.around.length > deepest)
    return refuse(`It is nested more than ${deepest} levels deep.`, place, walk);
  if (isAlias(node)) {
    const target = node.resolve(walk.document);
    if (target === undefined)
      refuse(`There is no \`&${node.source}\` that \`*${node.source}\` could stand for.`, place, walk);
    else if (place.around.includes(target))
      refuse(`\`*${node.source}\` stands for what it is itself a part of: that has no end.`, place, walk);
  } else if (isScalar(node)) walk.findings.push(...checkScalar(node, place.at, walk.text));
  else if (node !== null) visitInside(node, place, walk);
}

function visitInside(node: Node, { at, around }: Place, walk: Walk): void {
  const within = [...around, node];
  if (isSeq<Node>(node)) {
    node.items.forEach((item, index) => visit(item, { at: [...at, index], around: within }, walk));
  }
  if (!isMap<Scalar, Node | null>(node)) return;
  for (const { key, value } of node.items) {
    const inside = [...at, String(key.value)];
    // Half of the tools that will see `__proto__` would lose it; `$function` stands for a closure.
    if (key.value === '__proto__' || key.value === '$function')
      walk.findings.push(reservedKey(inside, key.value));
    visit(value, { at: inside, around: within }, walk);
  }
}

function refuse(message: string, { at }: Place, walk: Walk): void {
  const remedy = message.startsWith('There is no') ? { remedy: 'If it is text, put it in quotes.' } : {};
  walk.findings.push({ at, message, ...remedy });
  walk.unusable = true;
}

function reservedKey(at: Path, key: string): Finding {
  return { at, onKey: true, message: `\`${key}\` cannot be a name or key.`, remedy: 'Choose another.' };
}

function checkScalar(scalar: Scalar, at: Path, text: string): Finding[] {
  const { value, source } = scalar;
  if (isInexact(value, source)) {
    const message = `${source} is a whole number beyond ±2⁵³, which JSON cannot keep exactly.`;
    return [{ at, message, remedy: 'Put it in quotes, as text.' }];
  }
  if (typeof at.at(-1) === 'number' && scalar.type === 'PLAIN' && /^.*\n\s*- /.test(rawText(scalar, text))) {
    const message =
      'The next line begins with `- `, but is indented too far: YAML takes it for a part of this text.';
    return [{ at, message, remedy: 'Align the `-` of all items.' }];
  }
  if (typeof value !== 'string' || !isTextPlace(at) || !isCut(text, scalar)) return [];
  const remedy = `${cutRemedy} If a comment is meant, leave a space after the \`#\`.`;
  return [{ at, message: 'The text is cut off before ` #`.', remedy }];
}

function rawText({ range }: Scalar, text: string): string {
  return range == null ? '' : text.slice(range[0], range[1]);
}

/** A decimal says by itself that it is not exact. */
function isInexact(value: unknown, source: string | undefined): boolean {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return false;
  return /^([-+]?\d+|0o[0-7]+|0x[\da-f]+)$/i.test(source ?? '');
}
