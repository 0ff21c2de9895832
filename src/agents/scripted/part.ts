import { parse } from 'yaml';
import { isPlainObject, nearest, PitonError, type Json, type JsonObject } from '../../base/index.ts';

/** One thing to do: an object of one of the names below, and perhaps `once`. */
export type Step = JsonObject;

/** The names of steps, with what each does. */
export const stepNames = [
  'say', // a message
  'think', // reasoning
  'recall', // says the prompts of the session's earlier turns
  'expect', // fails unless the prompt contains the text
  'run', // runs a command in the shell, as a tool in a session of its own
  'edit', // { file, text }: writes a file, as a tool
  'read', // reads a file, as a tool
  'use', // { name, input, output, failed }: a tool of any name, which does nothing
  'usage', // { input, output, costUsd, cumulative, soFar }
  'wait', // a time span
  'await', // until the file is there
  'answer', // the result: a text, or { text, output }; steps may follow
  'deny', // { tool, reason }: a permission was refused
  'ask', // { tool, input, reason }: ends there, unless a person has allowed that call
  'limit', // { in | until, text }: fails by a usage limit
  'fail', // { kind, message }
  'hang', // for ever
  'stall', // writes the text without an end of line, and hangs
  'garbage', // writes the text as a line
  'bytes', // writes bytes, in hexadecimal digits, as a line
  'gigantic', // a message of so many letters
  'escape', // leaves a command behind in a session of its own
  'exit', // ends with this code, without a result
  'die', // by this signal
] as const;

export type StepName = (typeof stepNames)[number];

/** `turns`: the steps of each turn of the session, the last for all that follow; or `steps` for every turn. */
export function readPart(text: string): readonly (readonly Step[])[] {
  const part: unknown = parse(text);
  if (!isPlainObject(part)) throw wrongPart('It must have `steps` or `turns`.');
  const turns = part['turns'] ?? [part['steps']];
  if (!Array.isArray(turns) || turns.length === 0) throw wrongPart('`turns` must be a list of turns.');
  return turns.map((steps: unknown) => {
    if (!Array.isArray(steps)) throw wrongPart('A turn must be a list of steps.');
    return steps.map((step: unknown) => checkStep(step));
  });
}

function checkStep(step: unknown): Step {
  const names = isPlainObject(step) ? Object.keys(step).filter((name) => name !== 'once') : [];
  if (names.length !== 1) throw wrongPart(`A step must have one name: ${JSON.stringify(step)}.`);
  if (!isStepName(names[0]!)) {
    const meant = nearest(names[0]!, stepNames);
    throw wrongPart(
      `There is no step \`${names[0]}\`.${meant === undefined ? '' : ` Did you mean \`${meant}\`?`}`,
    );
  }
  return step as Step;
}

function isStepName(name: string): name is StepName {
  return (stepNames as readonly string[]).includes(name);
}

/** The name of a step and what it was given. */
export function readStep(step: Step): readonly [StepName, Json] {
  const name = Object.keys(step).find((key) => key !== 'once') as StepName;
  return [name, step[name] ?? null];
}

function wrongPart(message: string): PitonError {
  return new PitonError('PART_INVALID', `The part cannot be played. ${message}`);
}
