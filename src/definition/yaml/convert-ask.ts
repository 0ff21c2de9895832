import type { Path } from '../problems.ts';
import type { AskDraft } from '../workflow-draft.ts';
import type { Conversion } from './conversion.ts';
import { toMilliseconds } from './convert-settings.ts';
import { renameInText, renameInValue } from './rename-in-values.ts';
import type { Entry } from './task-keys.ts';

export function convertAsk(
  ask: NonNullable<Entry['ask']>,
  { at, around }: { readonly at: Path; readonly around: Conversion },
): AskDraft {
  const { variables, findings } = around;
  if (typeof ask === 'string') return { type: 'ask', question: renameInText(ask, variables) };
  return {
    type: 'ask',
    question: renameInText(ask.question, variables),
    answer: ask.type,
    choices: renameInValue(ask.choices, variables),
    default: renameInValue(ask.default, variables),
    deadlineMs: toMilliseconds(ask.deadline, [...at, 'deadline'], findings),
  };
}
