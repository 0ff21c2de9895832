import {
  addUsed,
  nothingUsed,
  statusOfTask,
  tokensOf,
  type RunState,
  type TaskState,
} from '../kernel/index.ts';
import { countText, moneyText } from '../base/index.ts';
import type { Used } from '../model/index.ts';
import type { RunAccount, TaskAccount } from '../workspaces/index.ts';
import { redactor, type Redact } from './redact.ts';
import { secretNames } from './secrets.ts';
import type { Environment } from './task-environment.ts';
import { workTextOf } from './work-text.ts';

/** Where the values are that must not be told. */
export interface AccountPorts {
  readonly environment: Environment;
  /** Names of all variables whose values are written down nowhere. */
  readonly secrets: readonly string[];
}

/** What is told of a run where its work is handed over. */
export function accountOf(state: RunState, { environment, secrets }: AccountPorts): RunAccount {
  const names = [...secrets, ...secretNames(state.workflow)];
  const redact = redactor(names.flatMap((name) => environment[name] ?? []));
  const tasks = [...state.tasks.values()].filter(
    ({ spec, group }) => spec.work.type !== 'deliver' && group === undefined,
  );
  const usage = usageText(totalOf(state));
  return {
    run: state.run,
    workflow: state.workflow.name,
    tasks: tasks.map((task) => taskAccount(task, redact)),
    tookMs: Math.max(0, state.at - state.createdAt),
    ...(usage !== undefined && { usage }),
  };
}

function taskAccount(task: TaskState, redact: Redact): TaskAccount {
  const { address, spec, workspace, conversation, usage, startedAt, endedAt } = task;
  const { integrated, base } = workspace ?? {};
  const used = usage === undefined ? undefined : usageText(usage);
  const { session } = conversation;
  return {
    task: address,
    status: statusOfTask(task),
    text: workTextOf(task, redact),
    hasChanged: integrated !== undefined && integrated.result !== base,
    ...(spec.check !== undefined && { check: redact(textOfCheck(spec.check.work.run)) }),
    ...(session !== undefined && { session }),
    ...(used !== undefined && { usage: used }),
    ...(startedAt !== undefined && endedAt !== undefined && { tookMs: Math.max(0, endedAt - startedAt) }),
  };
}

function textOfCheck(run: string | readonly string[]): string {
  return typeof run === 'string' ? run.trim().split('\n')[0]! : run.join(' ');
}

function totalOf({ spent }: RunState): Used {
  return Object.values(spent)
    .flatMap((agents) => Object.values(agents))
    .reduce(addUsed, nothingUsed);
}

function usageText(used: Used): string | undefined {
  const tokens = tokensOf(used);
  if (tokens === 0 && used.usd === 0) return undefined;
  return `${countText(tokens)} tokens${used.usd === 0 ? '' : `, ${moneyText(used.usd)}`}`;
}
