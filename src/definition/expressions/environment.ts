import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import { matching, presence } from './cel-source.ts';

/** Whether a text contains what a pattern describes; throws where it is none. */
export type Matches = (text: string, pattern: string) => boolean;

export interface Status {
  readonly success: boolean;
  readonly failure: boolean;
}

/**
 * CEL with our number model. JSON has one kind of number, CEL has two and refuses to mix them. Here numbers from JSON
 * are doubles (they enter as they are, at no cost), literals without a point and sizes are ints, and both mix freely;
 * `toJsonValue` turns either back into a JSON number.
 */
export function createEnvironment(status: () => Status, matches: Matches = refusePatterns): Environment {
  const environment = new Environment({ homogeneousAggregateLiterals: false });
  mixNumbers(environment);
  acceptNumbersAsPositions(environment);
  environment.registerFunction(`${presence}(ast): bool`, expandPresence, { async: false });
  environment.registerFunction(`string.${matching}(string): bool`, matches, { async: false });
  environment.registerFunction('success(): bool', () => status().success, { async: false });
  environment.registerFunction('failure(): bool', () => status().failure, { async: false });
  environment.registerFunction('always(): bool', () => true, { async: false });
  return environment;
}

/** For texts that did not come from the workflow that was looked at for patterns. */
function refusePatterns(): never {
  throw new Error('The workflow was said to have no patterns.');
}

type Arithmetic = (left: number, right: number) => number;

const arithmetic: Readonly<Record<string, Arithmetic>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
};

function mixNumbers(environment: Environment): void {
  for (const [operator, calculate] of Object.entries(arithmetic)) {
    const mixed = (left: unknown, right: unknown) => calculate(Number(left), Number(right));
    environment.registerOperator(`int ${operator} double: double`, mixed);
    environment.registerOperator(`double ${operator} int: double`, mixed);
  }
  environment.registerOperator('double % double: double', (left: number, right: number) => left % right);
  environment.registerOperator('int == double', (left, right) => Number(left) === Number(right));
}

/** Methods of texts that take positions take ints; numbers from JSON would not fit. */
function acceptNumbersAsPositions(environment: Environment): void {
  const method = (signature: string, call: (text: string, ...values: never[]) => unknown) =>
    environment.registerFunction(`string.${signature}`, call, { async: false });
  method('substring(double): string', (text, from: number) => text.substring(from));
  for (const [one, other] of [
    ['double', 'double'],
    ['int', 'double'],
    ['double', 'int'],
  ]) {
    method(`substring(${one}, ${other}): string`, (text, from: number, to: number) =>
      text.substring(Number(from), Number(to)),
    );
  }
  method('indexOf(string, double): int', (text, part: string, from: number) =>
    BigInt(text.indexOf(part, from)),
  );
  method('lastIndexOf(string, double): int', (text, part: string, from: number) =>
    BigInt(text.lastIndexOf(part, from)),
  );
}

/** The parts of CEL's checker and evaluator that a macro may use, as its documentation shows. */
interface Checker {
  check(node: ASTNode, context: unknown): unknown;
  getType(name: string): unknown;
  createError(code: string, message: string, node: ASTNode): Error;
}

interface Runner {
  tryEval(node: ASTNode, context: unknown): unknown;
}

function expandPresence({ args }: { readonly args: readonly ASTNode[] }) {
  const path = args[0]!;
  return {
    typeCheck(checker: Checker, _macro: unknown, context: unknown): unknown {
      if (path.op !== '.' && path.op !== '[]') {
        throw checker.createError('invalid_macro_argument', 'has() takes a field: has(a.b)', path);
      }
      checker.check(path, context);
      return checker.getType('bool');
    },
    evaluate(runner: Runner, _macro: unknown, context: unknown): boolean {
      const value = runner.tryEval(path, context);
      if (!(value instanceof Error)) return value !== null;
      if (isAbsence(value)) return false;
      throw value;
    },
  };
}

function isAbsence(error: Error): boolean {
  const { code } = error as { code?: unknown };
  return code === 'no_such_key' || code === 'index_out_of_bounds';
}
