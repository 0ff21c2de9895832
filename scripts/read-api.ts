/** Reads what a module exports, from the sources: names, signatures without bodies, and comments. The reference of the library is written from it. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** One name that is exported. */
export interface ApiExport {
  readonly name: string;
  /** Where it is declared, from the root. */
  readonly file: string;
  readonly line: number;
  readonly kind: 'function' | 'class' | 'interface' | 'type' | 'value';
  /** Its comment, as plain text. Empty: it has none. */
  readonly about: string;
  /** As it would be declared: without bodies, and without what is private. */
  readonly text: string;
  /** Methods that have no comment, as `name (file:line)`. */
  readonly bare: readonly string[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Module {
  readonly file: string;
  readonly text: string;
  readonly body: readonly Node[];
}

const root = join(import.meta.dirname, '..');
const modules = new Map<string, Module>();

/** Everything that a file exports, by name, wherever it is declared. */
export function readApi(entry: string): readonly ApiExport[] {
  const module = moduleAt(resolve(root, entry));
  const names = module.body.flatMap((node) => exportedNames(node));
  return [...new Set(names)].map((name) => readExport(module, name)).toSorted(byName);
}

function byName(a: ApiExport, b: ApiExport): number {
  return a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1;
}

function moduleAt(file: string): Module {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, 'utf8');
  const { body } = parseAst(text, { lang: 'ts' }, file) as unknown as { readonly body: readonly Node[] };
  const module = { file, text, body };
  modules.set(file, module);
  return module;
}

function exportedNames(node: Node): string[] {
  if (node.type !== 'ExportNamedDeclaration') return [];
  const declared = node['declaration'] as Node | null;
  if (declared !== null) return declaredNames(declared);
  return (node['specifiers'] as readonly Node[]).map(({ exported }) => nameOf(exported as Node));
}

function declaredNames(node: Node): string[] {
  if (node.type !== 'VariableDeclaration') return [nameOf(node['id'] as Node)];
  return (node['declarations'] as readonly Node[]).map(({ id }) => nameOf(id as Node));
}

function nameOf(node: Node): string {
  return String(node['name'] ?? node['value']);
}

/** Follows a name through the files that hand it on, to where it is declared. */
function readExport(module: Module, name: string): ApiExport {
  const declarations = module.body.filter((node) => declares(node, name));
  if (declarations.length > 0) return described(module, name, declarations);
  for (const node of module.body) {
    const found = (node['specifiers'] as readonly Node[] | undefined)?.find(
      (specifier) => nameOf((specifier['exported'] ?? specifier['local']) as Node) === name,
    );
    const source = node['source'] as Node | null | undefined;
    if (found === undefined || source == null) continue;
    const next = join(dirname(module.file), String(source['value']));
    const original = found['exported'] === undefined ? found['imported'] : found['local'];
    return { ...readExport(moduleAt(next), nameOf(original as Node)), name };
  }
  throw new Error(`${relative(root, module.file)} exports ${name}, which is not found there.`);
}

function declares(node: Node, name: string): boolean {
  const declared = (node.type === 'ExportNamedDeclaration' ? node['declaration'] : node) as Node | null;
  if (declared === null || !/^(TS\w+|Class|Function|Variable)/.test(declared.type)) return false;
  return declared.type.includes('Decl') && declaredNames(declared).includes(name);
}

const kinds: Readonly<Record<string, ApiExport['kind']>> = {
  TSDeclareFunction: 'function',
  FunctionDeclaration: 'function',
  ClassDeclaration: 'class',
  TSInterfaceDeclaration: 'interface',
  TSTypeAliasDeclaration: 'type',
  VariableDeclaration: 'value',
};

function described(module: Module, name: string, nodes: readonly Node[]): ApiExport {
  const inner = nodes.map((node) => (node['declaration'] ?? node) as Node);
  const shown = withoutImplementation(inner);
  const about = nodes.map((node) => commentBefore(module, node.start)).find((text) => text !== '') ?? '';
  const kind = kinds[inner[0]!.type]!;
  return {
    name,
    file: relative(root, module.file),
    line: lineOf(module, nodes[0]!.start),
    kind,
    about,
    text: shown.map((node) => declarationText(module, node)).join('\n'),
    bare: kind === 'class' || kind === 'interface' ? bareMethods(module, name, inner[0]!) : [],
  };
}

/** Of several signatures, the last is for the compiler alone. */
function withoutImplementation(nodes: readonly Node[]): readonly Node[] {
  return nodes.length > 1 ? nodes.filter(({ type }) => type !== 'FunctionDeclaration') : nodes;
}

function declarationText(module: Module, node: Node): string {
  const { text } = module;
  if (node.type === 'ClassDeclaration') return classText(module, node);
  const body = node['body'] as Node | null | undefined;
  if (node.type === 'FunctionDeclaration' && body != null)
    return `${text.slice(node.start, body.start).trim()};`;
  if (node.type !== 'VariableDeclaration') return text.slice(node.start, node.end);
  return text.slice(node.start, node.end).replace(/ = [^]*$/, ';');
}

/** The head, and each public member with its comment. */
function classText(module: Module, node: Node): string {
  const body = node['body'] as Node;
  const head = module.text.slice(node.start, body.start).trim();
  const members = publicMembers(body).map((member) => {
    const comment = rawCommentBefore(module, member.start);
    return `${comment === '' ? '' : `  ${comment}\n`}  ${memberText(module, member)}`;
  });
  return `${head} {\n${members.join('\n')}\n}`;
}

function memberText({ text }: Module, member: Node): string {
  const value = member['value'] as Node | null;
  const body = value?.['body'] as Node | null | undefined;
  const end =
    member.type === 'PropertyDefinition' ? (value?.start ?? member.end) : (body?.start ?? member.end);
  const head = text.slice(member.start, end).replace(/\s*=?\s*$/, '');
  return `${head.replace(/;$/, '')};`;
}

function publicMembers(body: Node): readonly Node[] {
  const members = (body['body'] as readonly Node[]).filter(
    ({ key, kind }) => kind !== 'constructor' && (key as Node | undefined)?.type !== 'PrivateIdentifier',
  );
  const isSignature = ({ value }: Node): boolean =>
    (value as Node | null)?.type === 'TSEmptyBodyFunctionExpression';
  // Of several signatures, the last is for the compiler alone.
  const overloaded = new Set(members.filter(isSignature).map(keyOf));
  return members.filter((one) => !overloaded.has(keyOf(one)) || isSignature(one));
}

function keyOf({ key }: Node): string {
  return nameOf(key as Node);
}

function isMethod({ type, kind }: Node): boolean {
  return type === 'TSMethodSignature' || (type === 'MethodDefinition' && kind === 'method');
}

/** One comment is enough for all signatures of a method. Those of the language itself explain themselves. */
function bareMethods(module: Module, name: string, node: Node): string[] {
  const methods = publicMembers(node['body'] as Node).filter(
    (one) => isMethod(one) && one['computed'] !== true,
  );
  const byKey = Map.groupBy(methods, keyOf);
  return [...byKey]
    .filter(([, all]) => all.every((one) => commentBefore(module, one.start) === ''))
    .map(
      ([key, [first]]) => `${name}.${key} (${relative(root, module.file)}:${lineOf(module, first!.start)})`,
    );
}

function rawCommentBefore({ text }: Module, start: number): string {
  return /\/\*\*(?:(?!\*\/)[^])*\*\/\s*$/.exec(text.slice(0, start))?.[0].trim() ?? '';
}

function commentBefore(module: Module, start: number): string {
  const raw = rawCommentBefore(module, start).replace(/^\/\*\*|\*\/$/g, '');
  return raw
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function lineOf({ text }: Module, start: number): number {
  return text.slice(0, start).split('\n').length;
}
