import type { Json } from '../../base/index.ts';
import { whyNoAnswer, whyNoChoices, type AskWork } from '../../model/index.ts';
import { hasExpression } from '../expressions/templates.ts';
import type { Finding, Path } from '../problems.ts';
import type { AskDraft, TaskDraft } from '../workflow-draft.ts';

/** What is wrong with a question to a person, as far as that can be known before it is asked. */
export function checkAsk(task: TaskDraft, work: AskDraft, at: Path): Finding[] {
  const place = [...at, 'ask'];
  return [
    ...checkQuestion(work, place),
    ...checkForm(work, place),
    ...(task.approval === undefined ? [] : [asksTwice(at)]),
  ];
}

function checkQuestion({ question, deadlineMs }: AskDraft, at: Path): Finding[] {
  const isEmpty = typeof question !== 'string' || question.trim() === '';
  const isWrongTime = deadlineMs !== undefined && !(Number.isFinite(deadlineMs) && deadlineMs >= 1);
  return [
    ...(isEmpty ? [{ at: [...at, 'question'], message: 'A question needs a text.' }] : []),
    ...(isWrongTime ? [{ at: [...at, 'deadline'], message: 'A deadline is at least 1ms.' }] : []),
  ];
}

function checkForm(work: AskDraft, at: Path): Finding[] {
  const { answer, choices, default: fallback } = work;
  if (choices !== undefined && answer !== undefined && answer !== 'choice') {
    const message = 'The answer is one of `choices`; it cannot have a `type` too.';
    return [{ at: [...at, 'type'], onKey: true, message, remedy: 'Remove `type` or `choices`.' }];
  }
  if (!isKnown(choices)) return [];
  const wrong = choices === undefined ? undefined : whyNoChoices(choices as Json);
  if (wrong !== undefined) return [{ at: [...at, 'choices'], message: `\`choices\` ${wrong}.` }];
  return fallback === undefined || !isKnown(fallback) ? [] : checkDefault(work, at);
}

function checkDefault(work: AskDraft, at: Path): Finding[] {
  const { answer: type, choices } = finishAsk(work);
  const why = whyNoAnswer({ type, choices: choices as readonly Json[] | undefined }, work.default as Json);
  return why === undefined ? [] : [{ at: [...at, 'default'], message: `The default is no answer: ${why}.` }];
}

/** No expression is in it. */
function isKnown(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isKnown);
  return typeof value !== 'string' || !hasExpression(value);
}

function asksTwice(at: Path): Finding {
  const message = 'A task that asks a question needs no approval: nothing happens before it is answered.';
  return { at: [...at, 'approval'], onKey: true, message, remedy: 'Remove `approval`.' };
}

export function finishAsk(work: AskDraft): AskWork {
  const { answer = work.choices === undefined ? 'string' : 'choice', ...rest } = work;
  return { ...(rest as Omit<AskWork, 'answer'>), answer };
}
