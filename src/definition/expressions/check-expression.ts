import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { nearest } from '../../base/index.ts';
import { checkedType, explainCelError, originalText, type Objection } from './cel-errors.ts';
import { matching, toCelSource, withoutDecimals, type CelSource } from './cel-source.ts';
import type { FaultOfPattern } from '../problems.ts';
import { createEnvironment } from './environment.ts';
import { translateHabit } from './github-habits.ts';
import { impossibleComparison } from './impossible-comparison.ts';
import type { TypeName, Types } from './types.ts';

/** Variables that an expression sees, with their types. */
export type VariableTypes = Readonly<Record<string, TypeName>>;

export type Verdict = { readonly type: TypeName } | { readonly objection: Objection };

/** Checks expressions without running them. */
export type ExpressionChecker = (expression: string, variables: VariableTypes) => Verdict;

export function createExpressionChecker(
  types: Types,
  names: ReadonlySet<string>,
  faultOf: FaultOfPattern,
): ExpressionChecker {
  const environment = createEnvironment(() => ({ success: true, failure: false }));
  // Refused where calls of the status are looked at, in better words.
  environment.registerFunction('cancelled(): bool', () => false, { async: false });
  const untyped = environment.clone({ unlistedVariablesAreDyn: true });
  return (expression, variables) => {
    const source = toCelSource(expression, names);
    // First as it will be run, where only what is in the expression itself has types; then with all that is known.
    const run = untyped.check(source.text);
    if (run.error !== undefined)
      return { objection: translateHabit(explainCelError(run.error, source), source) };
    const wrong = wrongPattern(untyped, source, faultOf);
    if (wrong !== undefined) return { objection: wrong };
    const parsed = typedEnvironment(environment, variables, types).parse(withoutDecimals(source.text));
    const typed = parsed.check();
    if (typed.error === undefined) {
      if (!comparison.test(source.text)) return { type: typed.type! };
      const impossible = impossibleComparison(parsed.ast, source, types);
      return impossible === undefined ? { type: typed.type! } : { objection: impossible };
    }
    const objection = explainCelError(typed.error, source);
    return isTooStrict(objection)
      ? { type: 'dyn' }
      : { objection: translateHabit(improve(objection, { source, variables, types }), source) };
  };
}

/** Only what compares is looked through once more. */
const comparison = /[=!]=|\bin\b/;

/** Of patterns that stand in the expression: others are known when it is run. */
function wrongPattern(
  environment: Environment,
  source: CelSource,
  faultOf: FaultOfPattern,
): Objection | undefined {
  if (!source.text.includes(matching)) return undefined;
  for (const node of patternsIn(environment.parse(source.text).ast)) {
    const fault = faultOf(node.args);
    if (fault === undefined) continue;
    const message = `\`${node.args}\` is no pattern: ${fault}.`;
    const remedy = 'Patterns are those of RE2: without looking around and referring back.';
    return { code: 'invalid_pattern', message, remedy, offset: source.locate(node.start) };
  }
  return undefined;
}

interface TextNode {
  readonly start: number;
  readonly args: string;
}

function patternsIn(value: unknown): TextNode[] {
  if (Array.isArray(value)) return value.flatMap(patternsIn);
  if (typeof value !== 'object' || value === null || !('op' in value)) return [];
  const { op, args } = value as { op: string; args: unknown };
  const own = op === 'rcall' && Array.isArray(args) && args[0] === matching ? textIn(args[2]) : [];
  return [...own, ...patternsIn(args)];
}

function textIn(given: unknown): TextNode[] {
  const [first] = given as { op?: string; args?: unknown; start: number }[];
  return first?.op === 'value' && typeof first.args === 'string'
    ? [{ start: first.start, args: first.args }]
    : [];
}

function typedEnvironment(base: Environment, variables: VariableTypes, types: Types): Environment {
  const environment = base.clone();
  types.declare(environment, Object.values(variables).join(' '));
  for (const [name, type] of Object.entries(variables)) environment.registerVariable(name, type);
  return environment;
}

/** Records are a kind of their own to the checker; at run time they are maps, which can be compared and counted. */
function isTooStrict({ code, node, message }: Objection): boolean {
  if (code !== 'no_such_overload' && code !== 'no_matching_overload') return false;
  const allowed = node?.op === '==' || node?.op === '!=' || node?.op === 'in' || /`size\(/.test(message);
  return allowed && /\bobject\b/.test(message);
}

interface Known {
  readonly source: CelSource;
  readonly variables: VariableTypes;
  readonly types: Types;
}

/** Adds what a person may have meant. */
function improve(objection: Objection, known: Known): Objection {
  const { code, node } = objection;
  if (code === 'unknown_variable' && node?.op === 'id') {
    const names = Object.keys(known.variables);
    return withSuggestion({ ...objection, remedy: `There are: ${names.join(', ')}.` }, node.args, names);
  }
  const isAccess = node?.op === '.' || node?.op === '[]';
  return code === 'no_such_key' && isAccess ? explainField(objection, node, known) : objection;
}

function explainField(
  objection: Objection,
  node: Extract<ASTNode, { op: '.' | '[]' }>,
  { source, types }: Known,
): Objection {
  const [owner, member] = node.args;
  const field = typeof member === 'string' ? member : String(member.args);
  const fields = Object.keys(types.fieldsOf(checkedType(owner) ?? '') ?? {});
  const message = `\`${originalText(owner, source)}\` has no field \`${field}\`.`;
  const remedy = fields.length === 0 ? 'It has none.' : `It has: ${fields.slice(0, 10).join(', ')}.`;
  return withSuggestion({ ...objection, message, remedy }, field, fields);
}

function withSuggestion(objection: Objection, wrong: string, names: readonly string[]): Objection {
  const similar = nearest(wrong, names);
  return similar === undefined ? objection : { ...objection, remedy: `Did you mean \`${similar}\`?` };
}
