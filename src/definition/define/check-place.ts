import { hasExpression } from '../expressions/templates.ts';
import type { Finding, Path } from '../problems.ts';
import type { TaskDraft } from '../workflow-draft.ts';
import { isProcess } from './finish-setup.ts';
import type { Scope } from './scope.ts';

/** What is wrong with where a task is to work, and with what becomes of its work. */
export function checkPlace(task: TaskDraft, at: Path): Finding[] {
  const { work, workspace, setup, onConflict } = task;
  if (!isProcess(work)) {
    const given = { workspace, setup, 'on-conflict': onConflict };
    return Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [misplaced(key, at)]));
  }
  if (onConflict !== 'agent' || work.type === 'agent') return [];
  const message = 'Only an agent can be asked to make its work fit, and this task has no `prompt`.';
  return [{ at: [...at, 'on-conflict'], message, remedy: 'Write `hold`: a person is asked.' }];
}

function misplaced(key: string, at: Path): Finding {
  const message = `\`${key}\` is for commands and agents: only they have a place of their own.`;
  return { at: [...at, key], onKey: true, message, remedy: 'Put it on the tasks that run them.' };
}

/** A commit is found by git; here only what can never be one, or would be read as something else, is refused. */
export function checkBase({ draft, at }: Scope): Finding[] {
  const { base } = draft;
  if (base === undefined || isCommitName(base)) return [];
  const remedy = 'Write the name of a branch or tag, such as `main`, or a commit.';
  const message = hasExpression(base)
    ? '`base` cannot hold `${{ }}`: it is the same for all runs.'
    : `\`${base}\` cannot be a branch or a commit.`;
  return [{ at: [...at, 'base'], message, remedy }];
}

function isCommitName(text: string): boolean {
  return /^[^\s\p{Cc}-][^\s\p{Cc}]*$/u.test(text) && !text.includes('..') && !hasExpression(text);
}
