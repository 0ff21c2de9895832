import type { Json } from '../base/index.ts';
import type { AskDraft } from '../definition/index.ts';
import type { FunctionCall } from '../engine/index.ts';
import { optionalMilliseconds, type Duration } from './task-options.ts';

/** What a person can be asked for, by name. */
interface AnswerTypes {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
}

export type TypeOfAnswer = keyof AnswerTypes;

export type Choice = string | number | boolean;

/** What the answer must be: of a type, default `string`; or one of several. */
export type AnswerOptions<Type extends TypeOfAnswer, Chosen extends Choice> =
  | { readonly type?: Type; readonly choices?: never; readonly default?: AnswerTypes[Type] }
  | { readonly choices: readonly Chosen[]; readonly type?: never; readonly default?: NoInfer<Chosen> };

/** `Chosen` is there only where there are choices. */
export type AnswerTo<Type extends TypeOfAnswer, Chosen> = [Chosen] extends [never]
  ? AnswerTypes[Type]
  : Chosen;

export interface WaitOptions {
  /** How long to wait for an answer: then the default is the answer; without one the question fails with `NO_ANSWER`. */
  readonly deadline?: Duration;
}

export interface AskOptions extends WaitOptions {
  /** By which the question is known again when the function is started again. Default: its text, and how often it was asked before. */
  readonly key?: string;
}

export type Ask = <const Chosen extends Choice = never, Type extends TypeOfAnswer = 'string'>(
  question: string,
  options?: AskOptions & AnswerOptions<Type, Chosen>,
) => Promise<AnswerTo<Type, Chosen>>;

interface AnyAnswer {
  readonly type?: TypeOfAnswer;
  readonly choices?: readonly Choice[];
  readonly default?: Choice;
}

export function asker(call: FunctionCall): Ask {
  const ask = async (text: string, options: AskOptions & AnyAnswer = {}): Promise<Json> => {
    const { choices, default: fallback, deadline, key } = options;
    const deadlineMs = optionalMilliseconds('deadline', deadline);
    return call.ask({
      text,
      type: choices === undefined ? (options.type ?? 'string') : 'choice',
      ...(choices !== undefined && { choices }),
      ...(fallback !== undefined && { default: fallback }),
      ...(deadlineMs !== undefined && { deadlineMs }),
      ...(key !== undefined && { key }),
    });
  };
  return ask as Ask;
}

export function askDraft(
  question: string,
  { type, choices, default: fallback, deadline }: WaitOptions & AnyAnswer,
): AskDraft {
  return {
    type: 'ask',
    question,
    answer: type,
    choices,
    default: fallback,
    deadlineMs: optionalMilliseconds('deadline', deadline),
  };
}
