import { addUsed, nothingUsed, statusOfTask, tokensOf, type RunState } from '../kernel/index.ts';
import type { RunAccount } from '../workspaces/index.ts';

/** What is told of a run where its work is handed over. */
export function accountOf(state: RunState): RunAccount {
  const tasks = [...state.tasks.values()].filter(({ spec }) => spec.work.type !== 'deliver');
  const usage = usageText(state);
  return {
    run: state.run,
    workflow: state.workflow.name,
    tasks: tasks.map((task) => ({ task: task.address, status: statusOfTask(task) })),
    ...(usage !== undefined && { usage }),
  };
}

function usageText({ spent }: RunState): string | undefined {
  const used = Object.values(spent)
    .flatMap((agents) => Object.values(agents))
    .reduce(addUsed, nothingUsed);
  const tokens = tokensOf(used);
  if (tokens === 0 && used.usd === 0) return undefined;
  const price = used.usd === 0 ? '' : ` for $${used.usd.toFixed(2)}`;
  return `${tokens} tokens${price}`;
}
