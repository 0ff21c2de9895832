import { asError, PitonError, toJson, type Json, type JsonObject } from '../../base/index.ts';
import {
  isFunctionRef,
  loadPatterns,
  readRetryMatch,
  type Evaluator,
  type Patterns,
  type TaskSpec,
  type Variables,
  type Workflow,
} from '../../model/index.ts';
import { migrationSites, taskSites, valueSites } from '../define/expression-sites.ts';
import type { Status } from './environment.ts';
import { toJsonValue } from './json-values.ts';
import type { Compile } from './programs.ts';
import { expressionsOf, hasExpression, splitTemplate, type Template } from './templates.ts';

/** Closures by name, as `{ $function: name }` refers to them. */
export type Functions = Readonly<Record<string, (variables: Variables) => unknown>>;

/** CEL is loaded only for a workflow that has expressions. */
export async function createEvaluator(workflow: Workflow, functions: Functions): Promise<Evaluator> {
  const patterns = usesPatterns(workflow) ? await loadPatterns() : undefined;
  const compile = usesExpressions(workflow)
    ? (await import('./programs.ts')).createCompiler(patterns?.matchesPattern)
    : refuseExpression;
  const split = remember(splitTemplate);
  return {
    test(condition, variables) {
      if (isFunctionRef(condition)) {
        const name = condition.$function;
        return asBoolean(callFunction(functions, name, variables), `function ${name}`);
      }
      return (
        testStatus(condition, variables) ?? asBoolean(evaluate(compile, condition, variables), condition)
      );
    },
    render: (value, variables) =>
      isFunctionRef(value)
        ? callFunction(functions, value.$function, variables)
        : toJson(renderValue(value, (text) => renderTemplate(split(text), compile, variables))),
    finds: (pattern, flags, text) =>
      patterns !== undefined && findsSafely(patterns, { pattern, flags, text }),
  };
}

function usesExpressions(workflow: Workflow): boolean {
  return hasSuch(workflow, {
    inOutputs: () => true,
    inTasks: (expression) => !isStatus(expression),
    inPolicies: () => false,
  });
}

/** By the word: whoever writes it without meaning it waits some milliseconds. */
function usesPatterns(workflow: Workflow): boolean {
  return hasSuch(workflow, { inOutputs: mayMatch, inTasks: mayMatch, inPolicies: hasPattern });
}

function mayMatch(expression: string): boolean {
  return expression.includes('matches');
}

interface Such {
  inOutputs(expression: string): boolean;
  inTasks(expression: string): boolean;
  inPolicies(task: TaskSpec): boolean;
}

/** Whether a workflow, or one inside of it, has an expression, or a task, such as that. */
function hasSuch(workflow: Workflow, such: Such): boolean {
  const outputs = [
    ...valueSites(workflow.outputs, 'outputs', []),
    ...Object.values(workflow.migrations ?? {}).flatMap((migration) => migrationSites(migration, [])),
  ].flatMap(({ template }) => expressionsOf(template));
  return (
    outputs.some(({ expression }) => such.inOutputs(expression)) ||
    workflow.tasks.some((task) => isSuch(task, such))
  );
}

function isSuch(task: TaskSpec, such: Such): boolean {
  const sites = taskSites(task, []).flatMap(({ template }) => expressionsOf(template));
  if (such.inPolicies(task) || sites.some(({ expression }) => such.inTasks(expression))) return true;
  return task.work.type === 'workflow' && hasSuch(task.work.workflow, such);
}

function hasPattern({ retry, errors = [] }: TaskSpec): boolean {
  return [...retry.on, ...retry.notOn, ...errors.map(({ match }) => match)].some(
    (text) => text !== undefined && 'pattern' in readRetryMatch(text),
  );
}

/** What the conditions of workflows written in TypeScript come down to is answered without CEL. */
function isStatus(condition: string): boolean {
  return /^(success|failure|always)\(\)$/.test(condition);
}

function testStatus(condition: string, variables: Variables): boolean | undefined {
  if (!isStatus(condition)) return undefined;
  if (condition === 'always()') return true;
  const status = variables['$status'] as Status | undefined;
  return condition === 'success()' ? status?.success : status?.failure;
}

/** For texts that did not come from the workflow this evaluator was made for. */
function refuseExpression(expression: string): never {
  throw failed(expression, 'The workflow was said to have no expressions.');
}

interface Search {
  readonly pattern: string;
  readonly flags: string;
  readonly text: string;
}

/** What is no pattern was refused when the workflow was defined; in what an older Piton has let through, it finds nothing. */
function findsSafely({ matchesPattern }: Patterns, { pattern, flags, text }: Search): boolean {
  try {
    return matchesPattern(text, pattern, flags);
  } catch {
    return false;
  }
}

function remember<T>(compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const value = known.get(text) ?? compute(text);
    known.set(text, value);
    return value;
  };
}

function renderValue(value: Json, renderText: (text: string) => Json): Json {
  if (typeof value === 'string') return hasExpression(value) ? renderText(value) : value;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: Json) => renderValue(item, renderText));
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, entry]) => [key, renderValue(entry, renderText)]),
  );
}

function renderTemplate({ parts, fault }: Template, compile: Compile, variables: Variables): Json {
  if (fault !== undefined) throw failed('${{', `An expression is ${fault.type}.`);
  const [first] = parts;
  if (parts.length === 1 && 'expression' in first!) return evaluate(compile, first.expression, variables);
  return parts
    .map((part) =>
      'text' in part ? part.text : asText(evaluate(compile, part.expression, variables), part.expression),
    )
    .join('');
}

function asText(value: Json, expression: string): string {
  if (typeof value === 'string') return value;
  if (value === null) {
    throw failed(expression, 'It gives null, which is no text.', 'Test it first with has().');
  }
  return JSON.stringify(value);
}

function evaluate(compile: Compile, expression: string, variables: Variables): Json {
  const result = compile(expression)(variables);
  try {
    return toJsonValue(result);
  } catch (cause) {
    throw failed(expression, asError(cause).message);
  }
}

function callFunction(functions: Functions, name: string, variables: Variables): Json {
  const call = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (call === undefined) throw failed(name, 'There is no function of that name in the program.');
  try {
    return toJson(call(variables) ?? null, 'result');
  } catch (cause) {
    throw new PitonError('EXPRESSION_FAILED', `The function \`${name}\` failed: ${asError(cause).message}`, {
      expression: name,
      cause,
    });
  }
}

function asBoolean(value: Json, expression: string): boolean {
  if (typeof value === 'boolean') return value;
  throw failed(expression, `A condition must be true or false; this is ${JSON.stringify(value)}.`);
}

function failed(expression: string, reason: string, remedy?: string): PitonError {
  return new PitonError('EXPRESSION_FAILED', `\`${expression}\` failed: ${reason}`, {
    expression,
    ...(remedy === undefined ? {} : { remedy }),
  });
}
