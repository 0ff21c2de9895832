import type { Json } from '../../../base/index.ts';
import type { QuestionView } from '../../../library/index.ts';
import { choiceText } from '../../../model/index.ts';
import { cleanLine } from '../output/index.ts';
import { readLine, type Prompting } from '../prompt.ts';
import { answerKind, readGiven, withoutAnswer, type Given } from './question-text.ts';

interface Asking extends Pick<Prompting, 'output' | 'stdin'> {
  now(): number;
}

/** Asks until there is an answer; undefined: the input has ended without one. */
export async function askAtTerminal(asking: Asking, question: QuestionView): Promise<Json | undefined> {
  const { output, now } = asking;
  for (const line of choiceLines(question)) output.print(line);
  const note = withoutAnswer(question, now());
  const about = note === undefined ? '' : `; ${note}`;
  return readLine(asking, `Answer (${answerKind(question)}${about}):`, (line) => {
    const typed = readTyped(question, line);
    if ('answer' in typed) return typed.answer;
    output.complain(`That is no answer: ${typed.why}.`);
    return undefined;
  });
}

/** Numbered, to be chosen by number. */
export function choiceLines({ choices = [] }: QuestionView): string[] {
  return choices.map((choice, index) => `  ${index + 1}  ${cleanLine(choiceText(choice))}`);
}

/** Nothing typed is the default; a number is the choice that has it, unless a choice is that number. */
export function readTyped(question: QuestionView, line: string): Given {
  const { choices = [], default: fallback } = question;
  if (line.trim() === '' && fallback !== undefined) return { answer: fallback };
  return readGiven(question, line, /^\d+$/.test(line.trim()) ? choices[Number(line) - 1] : undefined);
}
