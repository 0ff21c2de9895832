import { isSettled, type RunState } from '../kernel/index.ts';
import { isProgram, type TaskSpec, type Workflow } from '../model/index.ts';
import { secretsOf } from './command-order.ts';
import type { Environment } from './task-environment.ts';

/**
 * Before anything starts, not in the middle; and whoever harvests a command must know what to keep out of the journal.
 * Throws `SECRET_MISSING`.
 */
export function assertSecrets(state: RunState, environment: Environment): void {
  for (const task of state.workflow.tasks) {
    const begun = state.tasks.get(task.name);
    if (begun === undefined || !isSettled(begun.life)) assertSecretsOfTask(task, environment);
  }
}

/** Of a run that is about to begin. Throws `SECRET_MISSING`. */
export function assertSecretsOf(workflow: Workflow, environment: Environment): void {
  for (const task of workflow.tasks) assertSecretsOfTask(task, environment);
}

function assertSecretsOfTask({ work }: TaskSpec, environment: Environment): void {
  if (isProgram(work)) secretsOf(work, environment);
  if (work.type === 'workflow') {
    assertSecretsOf(work.workflow, environment);
  }
}

const knownNames = new WeakMap<Workflow, readonly string[]>();

/** The names of all secrets a workflow uses. Remembered: thousands of runs may be started of one. */
export function secretNames(workflow: Workflow): readonly string[] {
  let names = knownNames.get(workflow);
  if (names === undefined) knownNames.set(workflow, (names = workflow.tasks.flatMap(secretNamesOf)));
  return names;
}

function secretNamesOf({ work }: TaskSpec): readonly string[] {
  if (work.type === 'workflow') return secretNames(work.workflow);
  return isProgram(work) ? work.secrets : [];
}
