import { splitTemplate } from '../expressions/templates.ts';
import { parseGithubExpression, type GithubNode } from './parse-expression.ts';
import { Untranslatable, type JobScope } from './job-scope.ts';
import { writeCondition, writeValue } from './write-expression.ts';

/** What the text of a command sees besides: variables of its shell. */
export interface ShellScope extends JobScope {
  /** `id.name` of what earlier steps gave, with the variable that holds it. */
  readonly outputs: ReadonlyMap<string, string>;
  /** That the command needs a secret. */
  needsSecret(name: string): void;
}

export function parseOrRefuse(expression: string): GithubNode {
  const node = parseGithubExpression(expression);
  if (node === undefined) throw new Untranslatable(`\`${expression}\` is not understood`);
  return node;
}

/** A text with `${{ }}` in it, with our expressions instead. Throws `Untranslatable`. */
export function translateText(text: string, scope: JobScope): string {
  return translateParts(text, (node) => expressionOf(node, scope));
}

/** The same of the text of a command, where secrets and what earlier steps gave are variables. */
export function translateCommand(text: string, scope: ShellScope): string {
  return translateParts(text, (node, before) => {
    const variable = variableFor(node, scope);
    if (variable === undefined) return expressionOf(node, scope);
    if (isInSingleQuotes(before))
      throw new Untranslatable(`\`\${${variable}}\` in single quotes is no variable`);
    return `\${${variable}}`;
  });
}

function expressionOf(node: GithubNode, scope: JobScope): string {
  const { code } = writeValue(node, scope);
  return `\${{ ${/^\((has\([^()]*\) \? [^()]*)\)$/.exec(code)?.[1] ?? code} }}`;
}

function translateParts(text: string, translate: (node: GithubNode, before: string) => string): string {
  const { parts, fault } = splitTemplate(text);
  if (fault !== undefined) throw new Untranslatable('a `${{ }}` is not closed, or empty');
  let done = '';
  for (const part of parts)
    done += 'text' in part ? part.text : translate(parseOrRefuse(part.expression), done);
  return done;
}

function variableFor(node: GithubNode, scope: ShellScope): string | undefined {
  if (node.kind !== 'path') return undefined;
  const [first = ''] = node.steps;
  const secret = secretOf(node);
  if (secret !== undefined) scope.needsSecret(secret);
  if (secret !== undefined) return secret;
  if (node.root === 'env' && /^[A-Za-z_]\w*$/.test(first)) return first;
  return node.root === 'steps' ? outputVariable(node, scope.outputs) : undefined;
}

type PathNode = Extract<GithubNode, { kind: 'path' }>;

/** The name of the secret that it reads. */
export function secretOf({ root, steps: [first] }: PathNode): string | undefined {
  if (root === 'secrets') return first;
  return root === 'github' && first === 'token' ? 'GITHUB_TOKEN' : undefined;
}

function outputVariable({ steps: [id, , name] }: PathNode, outputs: ShellScope['outputs']): string {
  const variable = outputs.get(`${id}.${name}`);
  if (variable === undefined)
    throw new Untranslatable(`the output \`${name}\` of the step \`${id}\` is not translated`);
  return variable;
}

function isInSingleQuotes(before: string): boolean {
  const line = before.slice(before.lastIndexOf('\n') + 1).replaceAll(/"[^"]*"/g, '');
  return (line.split("'").length - 1) % 2 === 1;
}

/** `if` of a job: GitHub takes it with and without `${{ }}`. */
export function translateCondition(text: string, scope: JobScope): string {
  return writeCondition(parseOrRefuse(bareCondition(text)), scope);
}

export function bareCondition(text: string): string {
  return /^\s*\$\{\{(.*)\}\}\s*$/s.exec(text)?.[1]?.trim() ?? text.trim();
}

/** In a script, a step is come to only after the success of those before it: to ask for that is to ask nothing. */
export function withoutStatus(node: GithubNode): GithubNode {
  if (node.kind === 'call' && isStatus(node.name))
    return { kind: 'literal', value: node.name !== 'cancelled' };
  if (node.kind === 'not') {
    const inner = withoutStatus(node.inner);
    return isLiteral(inner, false) ? { kind: 'literal', value: true } : { ...node, inner };
  }
  if (node.kind !== 'binary') return node;
  const [left, right] = [withoutStatus(node.left), withoutStatus(node.right)];
  if (node.operator === '&&' && isLiteral(left, true)) return right;
  if (node.operator === '&&' && isLiteral(right, true)) return left;
  return { ...node, left, right };
}

function isStatus(name: string): boolean {
  return name === 'success' || name === 'always' || name === 'cancelled';
}

function isLiteral(node: GithubNode, value: boolean): boolean {
  return node.kind === 'literal' && node.value === value;
}

/** A condition on what earlier steps gave, as a test of the shell; undefined: it asks nothing of them. */
export function shellTest(node: GithubNode, outputs: ShellScope['outputs']): string | undefined {
  if (node.kind === 'not') return negated(shellTest(node.inner, outputs));
  if (node.kind === 'path')
    return node.root === 'steps' ? `[ -n "\${${outputVariable(node, outputs)}}" ]` : undefined;
  if (node.kind !== 'binary') return undefined;
  if (node.operator !== '&&' && node.operator !== '||') return shellComparison(node, outputs);
  const sides = [shellTest(node.left, outputs), shellTest(node.right, outputs)];
  return sides.includes(undefined) ? undefined : sides.join(` ${node.operator} `);
}

function negated(test: string | undefined): string | undefined {
  return test === undefined ? undefined : `! { ${test}; }`;
}

function shellComparison(
  { operator, left, right }: Extract<GithubNode, { kind: 'binary' }>,
  outputs: ShellScope['outputs'],
): string | undefined {
  if (left.kind !== 'path' || left.root !== 'steps' || right.kind !== 'literal') return undefined;
  const value = String(right.value ?? '');
  if (!/^[\w.-]*$/.test(value) || !/^[=!]=$/.test(operator)) return undefined;
  return `[ "\${${outputVariable(left, outputs)}}" ${operator === '==' ? '=' : '!='} "${value}" ]`;
}
