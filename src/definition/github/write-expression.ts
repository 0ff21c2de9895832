import { ourWord } from '../expressions/impossible-comparison.ts';
import type { GithubNode } from './parse-expression.ts';
import { Untranslatable, type JobScope, type ValueType } from './job-scope.ts';

export interface Written {
  readonly code: string;
  readonly type: ValueType;
}

/** The value of an expression of GitHub's as one of ours. Throws `Untranslatable`. */
export function writeValue(node: GithubNode, scope: JobScope): Written {
  switch (node.kind) {
    case 'literal':
      return writeLiteral(node.value);
    case 'path':
      return writePath(node, scope);
    case 'call':
      return writeCall(node, scope);
    case 'not':
      return { code: writeNot(node.inner, scope), type: 'bool' };
    case 'binary':
      return writeBinary(node, scope);
  }
}

/** The same where true or false is asked for: on GitHub any value counts, here only these two. */
export function writeCondition(node: GithubNode, scope: JobScope): string {
  if (node.kind === 'binary' && (node.operator === '&&' || node.operator === '||')) {
    const [left, right] = [writeCondition(node.left, scope), writeCondition(node.right, scope)];
    return joined(node.operator, left, right);
  }
  const flag = writeOptionalFlag(node, scope);
  if (flag !== undefined) return flag;
  const { code, type } = writeValue(node, scope);
  if (type === 'bool') return code;
  if (type === 'number') return `${atom(code)} != 0`;
  return type === 'list' ? `size(${code}) > 0` : `${type === 'text' ? atom(code) : `string(${code})`} != ''`;
}

/** A run that is cancelled starts nothing more: who asks for that asks only not to wait for success. */
function writeNot(inner: GithubNode, scope: JobScope): string {
  if (inner.kind === 'call' && inner.name === 'cancelled') return 'always()';
  const code = writeCondition(inner, scope);
  if (code === 'true' || code === 'false') return code === 'true' ? 'false' : 'true';
  return `!${atom(code)}`;
}

/** `true && a` is `a`: what is always so on GitHub need not be asked. */
function joined(operator: '&&' | '||' | string, left: string, right: string): string {
  const [neutral, decisive] = operator === '&&' ? ['true', 'false'] : ['false', 'true'];
  if (left === decisive || right === decisive) return decisive;
  if (left === neutral || isIdle(left, right, operator)) return right;
  if (right === neutral || isIdle(right, left, operator)) return left;
  const side = (code: string): string => (operator === '&&' && /\|\||\?/.test(code) ? `(${code})` : code);
  return `${side(left)} ${operator} ${side(right)}`;
}

/** `always()` only says that success is not waited for; the other side says that too. */
function isIdle(code: string, other: string, operator: string): boolean {
  return operator === '&&' && code === 'always()' && /\b(success|failure|always)\(/.test(other);
}

function atom(code: string): string {
  // One pair of brackets around all of it, with calls inside at most.
  if (/^\((?:[^()]|\([^()]*\))*\)$/.test(code)) return code;
  return /^[\w.]+$|^[\w.]*\([^()]*\)$/.test(code) ? code : `(${code})`;
}

type Literal = Extract<GithubNode, { kind: 'literal' }>['value'];

function writeLiteral(value: Literal): Written {
  if (typeof value === 'string') return { code: textLiteral(value), type: 'text' };
  if (typeof value === 'boolean') return { code: String(value), type: 'bool' };
  return value === null ? { code: "''", type: 'text' } : { code: String(value), type: 'number' };
}

export function textLiteral(text: string): string {
  if (/[\\\p{Cc}]/u.test(text) || text.includes("'")) return JSON.stringify(text);
  return `'${text}'`;
}

type PathNode = Extract<GithubNode, { kind: 'path' }>;

const roots: Readonly<Record<string, (node: PathNode, scope: JobScope) => Written>> = {
  matrix: writeMatrix,
  inputs: ({ steps: [name] }, scope) => writeInput(name, scope),
  needs: writeNeeds,
  github: writeGithub,
  runner: (node, scope) =>
    node.steps.join('.').toLowerCase() === 'os'
      ? { code: "'Linux'", type: 'text' }
      : writeForeign(node, scope),
  vars: writeForeign,
  env: ({ steps: [name = ''] }, { env }) => {
    const known = env.get(name);
    if (known === undefined) throw new Untranslatable(`\`env.${name}\` is known only to the command`);
    return { code: textLiteral(known), type: 'text' };
  },
};

function writePath(node: PathNode, scope: JobScope): Written {
  const write = Object.hasOwn(roots, node.root) ? roots[node.root] : undefined;
  if (write !== undefined) return write(node, scope);
  throw new Untranslatable(`\`${[node.root, ...node.steps].join('.')}\` has no counterpart here`);
}

function writeMatrix({ steps }: PathNode, { matrix }: JobScope): Written {
  const field = matrix?.get(steps[0] ?? '');
  const isDeep = steps.length > 1;
  const isReadable = steps.every((step) => /^[A-Za-z_][\w-]*$/.test(step));
  if (field === undefined || !isReadable || (isDeep && field.type !== 'any'))
    throw new Untranslatable(`the matrix has no field \`${steps.join('.')}\``);
  const code = `matrix.${steps.join('.')}`;
  if (!field.optional) return { code, type: field.type };
  return { code: `(has(${code}) ? ${code} : '')`, type: field.type === 'text' ? 'text' : 'any' };
}

/** `matrix.full`, where only some combinations have it, and it is true or false. */
function writeOptionalFlag(node: GithubNode, { matrix }: JobScope): string | undefined {
  if (node.kind !== 'path' || node.root !== 'matrix') return undefined;
  const field = matrix?.get(node.steps[0] ?? '');
  const isFlag = node.steps.length === 1 && field?.optional === true && field.type === 'bool';
  return isFlag ? `(has(matrix.${node.steps[0]}) && matrix.${node.steps[0]})` : undefined;
}

function writeInput(name: string | undefined, { inputs }: JobScope): Written {
  const type = inputs.get(name ?? '');
  if (type === undefined) throw new Untranslatable(`there is no input \`${name}\``);
  return { code: `inputs.${name}`, type };
}

function writeNeeds(node: PathNode, scope: JobScope): Written {
  const [job = '', what, name] = node.steps;
  const need = scope.needs.get(job);
  if (what === 'result' && need !== undefined) return { code: `needs.${job}.status`, type: 'text' };
  if (what === 'outputs' && name !== undefined && need?.output !== name) return writeForeign(node, scope);
  if (need === undefined) throw new Untranslatable(`\`${job}\` is not translated`);
  return { code: `needs.${job}.output`, type: 'text' };
}

function writeGithub(node: PathNode, scope: JobScope): Written {
  const [field = '', second, third] = node.steps;
  if (field === 'run_id' || field === 'run_number') return { code: 'run.id', type: 'text' };
  if (field === 'event' && second === 'inputs') return writeInput(third, scope);
  if (field === 'token') throw new Untranslatable('the token of GitHub is a secret');
  return writeForeign(node, scope);
}

function writeForeign({ root, steps }: PathNode, scope: JobScope): Written {
  if (steps.length === 0) throw new Untranslatable(`\`${root}\` as a whole has no counterpart here`);
  const type = steps.includes('*') ? 'list' : 'text';
  return { code: `inputs.${scope.foreign([root, ...steps], type)}`, type };
}

type CallNode = Extract<GithubNode, { kind: 'call' }>;

const calls: Readonly<Record<string, (given: readonly GithubNode[], scope: JobScope) => Written>> = {
  success: () => ({ code: 'success()', type: 'bool' }),
  failure: () => ({ code: 'failure()', type: 'bool' }),
  always: () => ({ code: 'always()', type: 'bool' }),
  // A run that is cancelled starts nothing more.
  cancelled: () => ({ code: 'false', type: 'bool' }),
  contains: ([whole, part], scope) => {
    const [one, other] = [writeValue(whole!, scope), writeText(part!, scope)];
    const code = one.type === 'list' ? `${other} in ${one.code}` : `${asText(one)}.contains(${other})`;
    return { code, type: 'bool' };
  },
  startswith: ([whole, part], scope) => writeMethod('startsWith', whole!, { part: part!, scope }),
  endswith: ([whole, part], scope) => writeMethod('endsWith', whole!, { part: part!, scope }),
  format: writeFormat,
  fromjson: writeFromJson,
};

function writeCall({ name, given }: CallNode, scope: JobScope): Written {
  const write = Object.hasOwn(calls, name) ? calls[name] : undefined;
  const isStatus = ['success', 'failure', 'always', 'cancelled'].includes(name);
  if (write === undefined || (!isStatus && given.length === 0))
    throw new Untranslatable(`\`${name}()\` has no counterpart here`);
  return write(given, scope);
}

function writeMethod(
  method: string,
  whole: GithubNode,
  { part, scope }: { part: GithubNode; scope: JobScope },
): Written {
  return { code: `${asText(writeValue(whole, scope))}.${method}(${writeText(part, scope)})`, type: 'bool' };
}

function writeFormat([pattern, ...given]: readonly GithubNode[], scope: JobScope): Written {
  if (pattern?.kind !== 'literal' || typeof pattern.value !== 'string')
    throw new Untranslatable('the pattern of `format()` is not a plain text');
  const parts = pattern.value.split(/\{(\d+)\}/).map((part, index) => {
    if (index % 2 === 0)
      return part === '' ? '' : textLiteral(part.replaceAll('{{', '{').replaceAll('}}', '}'));
    const node = given[Number(part)];
    if (node === undefined) throw new Untranslatable('`format()` names a value that it is not given');
    return writeText(node, scope);
  });
  return { code: parts.filter((part) => part !== '').join(' + ') || "''", type: 'text' };
}

/** Of a plain text it is the value itself; of anything else it is known when it is run. */
function writeFromJson([given]: readonly GithubNode[]): Written {
  if (given?.kind === 'literal' && typeof given.value === 'string') {
    const value = parseJson(given.value);
    if (Array.isArray(value) && value.every((entry) => typeof entry === 'string'))
      return { code: `[${value.map(textLiteral).join(', ')}]`, type: 'list' };
  }
  throw new Untranslatable('`fromJSON()` of what is known only when it is run');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function writeText(node: GithubNode, scope: JobScope): string {
  return asText(writeValue(node, scope));
}

function asText({ code, type }: Written): string {
  return type === 'text' ? code : `string(${code})`;
}

type BinaryNode = Extract<GithubNode, { kind: 'binary' }>;

function writeBinary(node: BinaryNode, scope: JobScope): Written {
  const { operator, left, right } = node;
  if (operator === '==' || operator === '!=') return writeEquality(node, scope);
  if (operator !== '&&' && operator !== '||') return writeOrder(node, scope);
  const sides = [writeValue(left, scope), writeValue(right, scope)] as const;
  if (sides.every(({ type }) => type === 'bool')) return { code: writeCondition(node, scope), type: 'bool' };
  return writeChoice(node, scope);
}

/** `a && 'b' || 'c'` chooses a value. */
function writeChoice({ operator, left, right }: BinaryNode, scope: JobScope): Written {
  const isChain = operator === '||' && left.kind === 'binary' && left.operator === '&&';
  const condition = writeCondition(isChain ? left.left : left, scope);
  const chosen =
    operator === '&&' ? writeValue(right, scope) : writeValue(isChain ? left.right : left, scope);
  const otherwise = operator === '&&' ? { code: "''", type: 'text' as const } : writeValue(right, scope);
  const type = chosen.type === otherwise.type ? chosen.type : 'any';
  const last = /\?/.test(otherwise.code) ? otherwise.code : atomOrText(otherwise.code);
  return { code: `${condition} ? ${atomOrText(chosen.code)} : ${last}`, type };
}

function atomOrText(code: string): string {
  return /^'[^']*'$|^"[^"]*"$/.test(code) ? code : atom(code);
}

function writeOrder({ operator, left, right }: BinaryNode, scope: JobScope): Written {
  const [one, other] = [writeValue(left, scope), writeValue(right, scope)];
  if (one.type !== 'number' || other.type !== 'number')
    throw new Untranslatable(`\`${operator}\` compares what may be no numbers`);
  return { code: `${one.code} ${operator} ${other.code}`, type: 'bool' };
}

function isNever(node: GithubNode, value: string, { matrix }: JobScope): boolean {
  if (node.kind !== 'path' || node.root !== 'matrix' || node.steps.length !== 1) return false;
  const field = matrix?.get(node.steps[0]!);
  return field?.type === 'text' && !field.optional && !field.values.includes(value);
}

function writeEquality({ operator, left, right }: BinaryNode, scope: JobScope): Written {
  if (left.kind === 'literal' && right.kind !== 'literal')
    return writeEquality({ kind: 'binary', operator, left: right, right: left }, scope);
  const one = writeValue(left, scope);
  // What is left out of a matrix is asked for in vain.
  if (right.kind === 'literal' && isNever(left, String(right.value), scope))
    return { code: String(operator === '!='), type: 'bool' };
  if (right.kind === 'literal' && /^'[^']*'$/.test(one.code))
    return {
      code: String((one.code === textLiteral(String(right.value))) === (operator === '==')),
      type: 'bool',
    };
  if (right.kind === 'literal') return { code: compareWith(one, right.value, operator), type: 'bool' };
  const other = writeValue(right, scope);
  const code =
    one.type === other.type
      ? `${one.code} ${operator} ${other.code}`
      : `${asText(one)} ${operator} ${asText(other)}`;
  return { code, type: 'bool' };
}

function compareWith({ code, type }: Written, value: Literal, operator: string): string {
  const text = String(value ?? '');
  if (type === 'bool' && (text === 'true' || text === 'false'))
    return (text === 'true') === (operator === '==') ? code : `!${atom(code)}`;
  if (type === 'number' && text !== '' && Number.isFinite(Number(text)))
    return `${code} ${operator} ${Number(text)}`;
  return `${asText({ code, type })} ${operator} ${textLiteral(code.endsWith('.status') ? ourWord(text) : text)}`;
}
