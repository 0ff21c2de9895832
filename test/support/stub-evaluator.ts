import { PitonError, toJson, type Json } from '../../src/base/index.ts';
import {
  isFunctionRef,
  type Condition,
  type Dynamic,
  type Evaluator,
  type Variables,
} from '../../src/model/index.ts';

export type Closures = Readonly<Record<string, (variables: Variables) => unknown>>;

export interface CountingEvaluator extends Evaluator {
  /** How often it was asked for anything. */
  readonly calls: number;
}

/**
 * Just enough of an evaluator for the kernel: closures, the status functions, and paths such as `tasks.plan.output`.
 * What real expressions mean is another part's affair.
 */
export function stubEvaluator(closures: Closures = {}): CountingEvaluator {
  let calls = 0;
  return {
    get calls() {
      return calls;
    },
    test(condition, variables) {
      calls++;
      return holds(condition, variables, closures);
    },
    render(value, variables) {
      calls++;
      return fill(value, variables, closures);
    },
    finds: (pattern, flags, text) => new RegExp(pattern, flags).test(text),
  };
}

function holds(condition: Condition, variables: Variables, closures: Closures): boolean {
  if (isFunctionRef(condition)) return closures[condition.$function]!(variables) === true;
  const status = variables['$status'] as { success: boolean; failure: boolean } | undefined;
  switch (condition) {
    case 'success()':
      return status?.success === true;
    case 'failure()':
      return status?.failure === true;
    case 'always()':
      return true;
    default:
      return look(condition, variables) === true;
  }
}

function fill(value: Dynamic, variables: Variables, closures: Closures): Json {
  if (isFunctionRef(value)) return toJson(closures[value.$function]!(variables) ?? null);
  if (typeof value === 'string') return fillText(value, variables);
  if (Array.isArray(value)) return value.map((entry: Json) => fill(entry, variables, closures));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, entry]) => [
    key,
    fill(entry as Json, variables, closures),
  ]);
  return Object.fromEntries(entries) as Json;
}

function fillText(text: string, variables: Variables): Json {
  const path = /^\$\{\{ *([\w.-]+) *\}\}$/.exec(text)?.[1];
  return path === undefined ? text : toJson(look(path, variables));
}

function look(path: string, variables: Variables): unknown {
  let found: unknown = variables;
  for (const name of path.split('.')) {
    const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, name);
    if (!isThere) throw new PitonError('EXPRESSION_FAILED', `${path}: there is no ${name}.`);
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}
