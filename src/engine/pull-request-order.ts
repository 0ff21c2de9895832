import { isPlainObject, markdownOf, PitonError, proseLineOf, type Json } from '../base/index.ts';
import { variablesOf, type RunState, type TaskState } from '../kernel/index.ts';
import type { DeliverWork, Dynamic, Evaluator, Variables } from '../model/index.ts';
import { evidenceOf, summaryOf, titleOf, type PullRequestOrder } from '../workspaces/index.ts';
import { textOf } from './command-order.ts';
import { accountOf, type AccountPorts } from './run-account.ts';

/** The pull request that a task is to open, as the workflow wants it. Throws `EXPRESSION_FAILED`, `GIT_MISSING`. */
export function pullRequestOrder(
  state: RunState,
  task: TaskState,
  ports: AccountPorts & { readonly evaluator: Evaluator },
): PullRequestOrder {
  const repository = state.origin?.repository;
  if (repository === undefined)
    throw new PitonError('GIT_MISSING', 'There is no git repository whose work could be delivered.', {
      remedy: 'Start the run in a folder of one.',
    });
  const { base, branch, draft: isDraft, title, body } = (task.spec.work as DeliverWork).pr;
  const account = accountOf(state, ports);
  const variables = variablesOf(state, task);
  const delivery = { title: titleOf(account), summary: summaryOf(account), evidence: evidenceOf(account) };
  const render = (value: Dynamic, seen: Variables): string => textOf(ports.evaluator.render(value, seen));
  return {
    repository,
    account,
    isDraft,
    ...(base !== undefined && { base }),
    ...(branch !== undefined && { branch: render(branch, variables) }),
    ...(title !== undefined && { title: render(title, { ...withTexts(variables, proseLineOf), delivery }) }),
    ...(body !== undefined && { body: render(body, { ...withTexts(variables, markdownOf), delivery }) }),
  };
}

/** What tasks have given may come from agents: it is only text there. What the workflow itself says stays as it is. */
function withTexts(variables: Variables, change: (text: string) => string): Variables {
  const { tasks, needs } = variables as { readonly tasks?: Json; readonly needs?: Json };
  return {
    ...variables,
    ...(tasks !== undefined && { tasks: mapTexts(tasks, change) }),
    ...(needs !== undefined && { needs: mapTexts(needs, change) }),
  };
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item: Json) => mapTexts(item, change));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapTexts(item as Json, change)]),
  );
}
