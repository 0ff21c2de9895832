import { PitonError } from '../../base/index.ts';
import type { Variables } from '../../model/index.ts';
import { explainCelError } from './cel-errors.ts';
import { toCelSource } from './cel-source.ts';
import { createEnvironment, type Matches, type Status } from './environment.ts';

/** Runs one expression. Gives what CEL gives, which is not yet JSON. */
export type Program = (variables: Variables) => unknown;
export type Compile = (expression: string) => Program;

const noNames: ReadonlySet<string> = new Set();

/** Programs are kept by their text: a workflow has as many as it has expressions. */
export function createCompiler(matches?: Matches): Compile {
  const programs = new Map<string, Program>();
  let status: Status | undefined;
  const environment = createEnvironment(() => status ?? refuseStatus(), matches).clone({
    unlistedVariablesAreDyn: true,
  });
  const compile = (expression: string): Program => {
    // A workflow's names with hyphens were joined when it was defined.
    const source = toCelSource(expression, noNames);
    const run = explaining(expression, source, () => environment.parse(source.text));
    return (variables) => {
      // Evaluation is synchronous, so that the functions called in it see the status of these variables.
      status = variables['$status'] as Status | undefined;
      return explaining(expression, source, () => run(variables));
    };
  };
  return (expression) => {
    const program = programs.get(expression) ?? compile(expression);
    programs.set(expression, program);
    return program;
  };
}

function refuseStatus(): never {
  throw new Error('success() and failure() say something only in the `if` of a task.');
}

function explaining<T>(expression: string, source: ReturnType<typeof toCelSource>, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    const { message, remedy } = explainCelError(cause, source);
    throw new PitonError('EXPRESSION_FAILED', `\`${expression}\` failed: ${message}`, {
      expression,
      cause,
      ...(remedy === undefined ? {} : { remedy }),
    });
  }
}
