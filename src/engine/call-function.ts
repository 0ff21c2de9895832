import {
  asError,
  errorField,
  errorText,
  nearest,
  PitonError,
  stackText,
  toJson,
  type Json,
} from '../base/index.ts';
import { scopeAt, variablesOf, type RunState, type TaskState } from '../kernel/index.ts';
import type { Failure, Outcome, TaskSpec } from '../model/index.ts';
import type { FunctionCall, Program, TaskFunction } from './program.ts';
import { redactor } from './redact.ts';
import type { SecretPorts } from './secrets-in-results.ts';

/** What an output must fit. */
export interface OutputLimits {
  readonly program: Pick<Program, 'compileSchema'>;
  readonly maxOutputBytes: number;
}

export interface CallOptions extends OutputLimits, SecretPorts {
  readonly program: Program;
  readonly signal: AbortSignal;
  checkpoint(name?: string): Promise<void>;
  ask: FunctionCall['ask'];
}

/** Calls the function of a task and says how that ended. Never rejects. */
export async function callFunction(state: RunState, task: TaskState, options: CallOptions): Promise<Outcome> {
  try {
    const { call, run } = prepare(state, task, options);
    const returned = await run(call);
    if (isUpdate(state, task))
      return returned === undefined ? { type: 'succeeded' } : { type: 'succeeded', update: returned };
    return { type: 'succeeded', output: await checkOutput(returned, task.spec, options) };
  } catch (thrown) {
    return { type: 'failed', failure: withoutSecrets(failureOf(thrown), options) };
  }
}

/** A function can read every secret of this process, and libraries put what they were given into their errors. */
function withoutSecrets(failure: Failure, { environment, secrets }: SecretPorts): Failure {
  const redact = redactor(secrets.flatMap((name) => environment[name] ?? []));
  const { message, stack } = failure;
  return { ...failure, message: redact(message), ...(stack !== undefined && { stack: redact(stack) }) };
}

/** What a function node of a graph gives back is compared with the state, part by part; it is not an output of its own. */
function isUpdate(state: RunState, { scope, item, spec }: TaskState): boolean {
  const isNode = scopeAt(state, scope).graph !== undefined && item === undefined;
  return isNode && spec.update === undefined && spec.output === undefined;
}

function prepare(
  state: RunState,
  task: TaskState,
  options: CallOptions,
): { call: FunctionCall; run: TaskFunction } {
  const { work } = task.spec;
  if (work.type !== 'function') throw new Error(`${task.address} is not done by a function`);
  const { program, signal, checkpoint, ask } = options;
  const variables = variablesOf(state, task);
  const given = work.with === undefined ? undefined : program.evaluator.render(work.with, variables);
  const { address, attempts, key } = task;
  const call = {
    run: state.run,
    task: address,
    attempt: attempts,
    key: key!,
    given,
    variables,
    signal,
    checkpoint,
    ask,
  };
  return { call, run: functionNamed(work.function, task, program) };
}

function functionNamed(name: string, task: TaskState, { functions }: Program): TaskFunction {
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (found !== undefined) return found;
  const suggestion = nearest(name, Object.keys(functions));
  throw new PitonError(
    'FUNCTION_MISSING',
    `Task ${task.address} calls the function ${name}, which was not given.`,
    {
      remedy: suggestion === undefined ? 'Give it by name with the workflow.' : `Did you mean ${suggestion}?`,
    },
  );
}

/** The output as JSON that fits its schema. Throws `NOT_SERIALISABLE`, `OUTPUT_TOO_LARGE`, `OUTPUT_INVALID`. */
export async function checkOutput(returned: unknown, spec: TaskSpec, options: OutputLimits): Promise<Json> {
  const output = returned === undefined ? null : toJson(returned, 'output');
  assertFits(output, options.maxOutputBytes);
  if (spec.output === undefined) return output;
  const check = await options.program.compileSchema(spec.output);
  const problems = check(output);
  if (problems.length === 0) return output;
  throw new PitonError('OUTPUT_INVALID', `The output does not fit its schema: ${problems.join('; ')}.`);
}

function assertFits(output: Json, limit: number): void {
  if (output === null || (typeof output !== 'object' && typeof output !== 'string')) return;
  const { length } = JSON.stringify(output);
  if (length <= limit) return;
  throw new PitonError(
    'OUTPUT_TOO_LARGE',
    `The output is ${length} bytes long, more than the ${limit} allowed.`,
    {
      remedy: 'Keep big data in a file or a store of your own and give back its name.',
    },
  );
}

/** These are wrong every time. */
const permanent = new Set([
  'NOT_SERIALISABLE',
  'OUTPUT_TOO_LARGE',
  'FUNCTION_MISSING',
  'EXPRESSION_FAILED',
  'SECRET_MISSING',
]);

/** Anything can be thrown, with anything in its fields; a journal takes only text there, or nobody could read it again. */
export function failureOf(thrown: unknown): Failure {
  const error = asError(thrown);
  const given = errorField(error, 'code');
  const code = typeof given === 'string' ? given : (errorText(error, 'name') ?? 'Error');
  const stack = stackText(error);
  return {
    code,
    message: errorText(error, 'message') ?? 'the error has no message that can be shown',
    ...(stack !== undefined && { stack }),
    retryable: errorField(error, 'retryable') !== false && !permanent.has(code),
  };
}
