import { hasExpression } from '../expressions/templates.ts';
import type { Finding, Path } from '../problems.ts';
import type { DeliverDraft } from '../workflow-draft.ts';
import { deliveryName, isTaken } from './delivery-task.ts';
import type { Scope } from './scope.ts';

/** What is wrong with how the work of a run is to be delivered. */
export function checkDelivery({ draft, form, at }: Scope): Finding[] {
  const { deliver, tasks } = draft;
  if (deliver === undefined) return [];
  const place = [...at, 'deliver'];
  if (form === 'graph') return [ofGraph(place)];
  const taken = isTaken(tasks) ? [nameTaken([...at, form, deliveryName])] : [];
  return [...taken, ...checkPullRequest(deliver.pr, [...place, 'pr'])];
}

function ofGraph(at: Path): Finding {
  const message = 'A graph cannot deliver: nobody knows which of its nodes is the last.';
  const remedy = 'Use the graph from a workflow with tasks, by `uses`, and deliver there.';
  const inCode = { remedy: 'Make the graph a task of a workflow, and let that deliver.' };
  return { at, onKey: true, message, remedy, inCode };
}

function nameTaken(at: Path): Finding {
  const message = `\`${deliveryName}\` is the name of the task that delivers.`;
  return { at, onKey: true, message, remedy: 'Give this task another name.' };
}

function checkPullRequest({ base, branch, title }: DeliverDraft['pr'], at: Path): Finding[] {
  return [
    ...checkBranch(base, [...at, 'base']),
    ...(base !== undefined && hasExpression(base) ? [fixedBase([...at, 'base'])] : []),
    ...(typeof branch === 'string' ? checkBranch(branch, [...at, 'branch']) : []),
    ...(typeof title === 'string' && title.trim() === '' ? [noTitle([...at, 'title'])] : []),
  ];
}

function fixedBase(at: Path): Finding {
  const message = '`base` cannot hold `${{ }}`: it is the same for all runs.';
  return { at, message, remedy: 'Write the name of a branch, such as `main`.' };
}

function noTitle(at: Path): Finding {
  return { at, message: 'A pull request needs a title.', remedy: 'Write one, or remove the key.' };
}

/** What comes of expressions is seen when they are evaluated. */
function checkBranch(name: string | undefined, at: Path): Finding[] {
  if (name === undefined || hasExpression(name) || isBranchName(name)) return [];
  const remedy = 'Write a name such as `main` or `team/feature`.';
  return [{ at, message: `\`${name}\` cannot be the name of a branch.`, remedy }];
}

/** As git has it: no part begins with a dot or ends with `.lock`, and some characters mean something else. */
function isBranchName(name: string): boolean {
  if (/[\s\p{Cc}~^:?*[\\]|\.\.|@\{|\.$|^-|^@$/u.test(name)) return false;
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}
