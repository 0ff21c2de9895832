import { PitonError, toJson, type Json } from '../../base/index.ts';
import type { Finding, Path } from '../problems.ts';
import type { TaskDraft, WorkflowDraft } from '../workflow-draft.ts';

/** Values which users made become frozen JSON of our own; what JSON cannot keep is found here. */
export interface Frozen<T> {
  readonly value: T;
  readonly findings: readonly Finding[];
}

export function freezeTask(task: TaskDraft, at: Path): Frozen<TaskDraft> {
  const findings: Finding[] = [];
  const freeze = <T>(value: T, ...steps: string[]): T => freezeValue(value, [...at, ...steps], findings);
  const { forEach, work } = task;
  const value = {
    ...task,
    if: freeze(task.if, 'if'),
    output: freeze(task.output, 'output'),
    update: freeze(task.update, 'update'),
    approval: freeze(task.approval, 'approval'),
    check: freeze(task.check, 'check'),
    workspace: freeze(task.workspace, 'workspace'),
    setup: freeze(task.setup, 'setup'),
    pool: freeze(task.pool, 'pool'),
    artifacts: freeze(task.artifacts, 'artifacts'),
    repositoryLocks: freeze(task.repositoryLocks, 'repository-locks'),
    errors: freeze(task.errors, 'errors'),
    work: freezeWork(work, freeze),
    forEach: forEach && {
      ...forEach,
      in: freeze(forEach.in, 'for-each', 'in'),
      key: freeze(forEach.key, 'for-each', 'key'),
    },
  };
  return { value, findings };
}

type Freeze = <T>(value: T, ...steps: string[]) => T;

/** What the other checks cannot do without has a stand-in where it was refused. */
function freezeWork(work: TaskDraft['work'], freeze: Freeze): TaskDraft['work'] {
  if (work.type === 'command') {
    return {
      ...work,
      run: freeze(work.run, 'run') ?? ':',
      env: freeze(work.env, 'env'),
      secrets: freeze(work.secrets, 'secrets'),
      inheritEnv: freeze(work.inheritEnv, 'inherit-env'),
    };
  }
  if (work.type === 'agent') {
    return {
      ...work,
      agents: freeze(work.agents, 'agent') ?? ['claude'],
      permissions: freeze(work.permissions, 'permissions'),
      session: freeze(work.session, 'session'),
      args: freeze(work.args, 'args'),
      budget: freeze(work.budget, 'budget'),
      env: freeze(work.env, 'env'),
      secrets: freeze(work.secrets, 'secrets'),
      inheritEnv: freeze(work.inheritEnv, 'inherit-env'),
    };
  }
  if (work.type === 'ask') {
    return {
      ...work,
      choices: freeze(work.choices, 'ask', 'choices'),
      default: freeze(work.default, 'ask', 'default'),
    };
  }
  if (work.type === 'deliver') return { ...work, pr: freeze(work.pr, 'pr') ?? {} };
  return work.with === undefined ? work : { ...work, with: freeze(work.with, 'with') };
}

export function freezeHead(draft: WorkflowDraft, at: Path): Frozen<WorkflowDraft> {
  const findings: Finding[] = [];
  const freeze = <T>(value: T, step: string): T => freezeValue(value, [...at, step], findings);
  const value = {
    ...draft,
    inputs: freeze(draft.inputs, 'inputs'),
    migrations: freeze(draft.migrations, 'migrations'),
    outputs: freeze(draft.outputs, 'outputs'),
    checkpoint: freeze(draft.checkpoint, 'checkpoint'),
    graph: freeze(draft.graph, 'graph'),
    breakers: freeze(draft.breakers, 'breakers'),
    budget: freeze(draft.budget, 'budget'),
    workspace: freeze(draft.workspace, 'workspace'),
    usageLimits: freeze(draft.usageLimits, 'usage-limits'),
  };
  return { value, findings };
}

function freezeValue<T>(value: T, at: Path, findings: Finding[]): T {
  if (value === undefined) return value;
  try {
    return toJson(value) as T & Json;
  } catch (error) {
    if (!(error instanceof PitonError)) throw error;
    findings.push({ at, message: error.message });
    return undefined as T;
  }
}
