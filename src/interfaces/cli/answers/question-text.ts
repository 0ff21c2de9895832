import type { Json } from '../../../base/index.ts';
import type { QuestionView } from '../../../library/index.ts';
import { choiceText, readAnswer, whyNoAnswer } from '../../../model/index.ts';
import { cleanLine, cutTo, whenText } from '../output/index.ts';

const kinds: Readonly<Record<Exclude<QuestionView['type'], 'choice'>, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'yes or no',
};

const widest = 200;

/** What an answer must be. */
export function answerKind({ type, choices = [] }: QuestionView): string {
  if (type !== 'choice') return kinds[type];
  return `one of ${cutTo(choices.map((choice) => cleanLine(choiceText(choice))).join(', '), widest)}`;
}

/** An answer, or why it is none. */
export type Given = { readonly answer: Json } | { readonly why: string };

/** Reads what a person typed. `otherwise`: what it stands for if it is no answer itself. */
export function readGiven(question: QuestionView, text: string, otherwise?: Json): Given {
  const answer = readAnswer(question, text) ?? otherwise;
  if (answer === undefined) return { why: `it must be ${answerKind(question)}` };
  const why = whyNoAnswer(question, answer);
  return why === undefined ? { answer } : { why };
}

/** What happens if nobody answers; undefined: it waits for ever, and Enter is no answer. */
export function withoutAnswer(question: QuestionView, now: number): string | undefined {
  const { default: fallback, until } = question;
  const value = fallback === undefined ? undefined : cutTo(cleanLine(choiceText(fallback)), widest);
  if (until === undefined) return value === undefined ? undefined : `default: ${value}`;
  const when = whenText(until, now);
  return value === undefined
    ? `the task fails if nobody answers by then: ${when}`
    : `default: ${value}, taken ${when}`;
}

/** Both, as one line. */
export function questionLine(question: QuestionView, now: number): string {
  return [answerKind(question), withoutAnswer(question, now)]
    .filter((part) => part !== undefined)
    .join(' · ');
}
