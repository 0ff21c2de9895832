import type { Json } from '../base/index.ts';

/** What a person is asked for. `choice`: one of a list. */
export const answerTypes = ['string', 'number', 'integer', 'boolean', 'choice'] as const;
export type AnswerType = (typeof answerTypes)[number];

/** What an answer must be. */
export interface AnswerForm {
  readonly type: AnswerType;
  /** Of a `choice`, and only of that. */
  readonly choices?: readonly Json[] | undefined;
}

/** In characters of its JSON text: an answer is for people to give. */
const longestAnswer = 100_000;

/** Why a value is no answer, as the end of a sentence; undefined: it is one. */
export function whyNoAnswer({ type, choices = [] }: AnswerForm, value: Json): string | undefined {
  if (type === 'choice') {
    if (isChoice(value) && choices.includes(value)) return undefined;
    return `it must be one of: ${choices.map(choiceText).join(', ')}`;
  }
  if (!fits[type](value)) return `it must be ${kinds[type]}`;
  if (typeof value === 'string' && value.length > longestAnswer)
    return `it must not be longer than ${longestAnswer} characters`;
  return undefined;
}

const kinds: Readonly<Record<Exclude<AnswerType, 'choice'>, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
};

const fits: Readonly<Record<Exclude<AnswerType, 'choice'>, (value: Json) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === 'boolean',
};

/** Why a list can not be chosen from; undefined: it can. */
export function whyNoChoices(choices: Json): string | undefined {
  if (!Array.isArray(choices) || choices.length === 0) return 'must be a list of at least one';
  if (!choices.every(isChoice)) return 'must be texts, numbers, true or false';
  // Typed on a command line, 1 and "1" are the same.
  const texts = choices.map(choiceText);
  const twin = texts.find((text, index) => texts.indexOf(text) !== index);
  return twin === undefined ? undefined : `has \`${twin}\` twice`;
}

function isChoice(value: Json): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

export function choiceText(choice: Json): string {
  return typeof choice === 'string' ? choice : JSON.stringify(choice);
}

/** The answer that a typed text stands for; undefined: none of this form. */
export function readAnswer({ type, choices = [] }: AnswerForm, text: string): Json | undefined {
  switch (type) {
    case 'string':
      return text;
    case 'choice':
      return choices.find((choice) => choiceText(choice) === text.trim());
    case 'boolean':
      return truths.get(text.trim().toLowerCase());
    default: {
      const number = text.trim() === '' ? NaN : Number(text);
      return Number.isFinite(number) ? number : undefined;
    }
  }
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['y', true],
  ['false', false],
  ['no', false],
  ['n', false],
]);
