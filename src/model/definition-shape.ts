import { freezeParsed, isPlainObject } from '../base/index.ts';
import { objectWith, oneOf, text, type Fault, type Shape } from './shape.ts';
import type { TaskSpec, Work, Workflow } from './workflow.ts';

type Keys<T> = Readonly<Record<T extends unknown ? keyof T : never, true>>;

/** The compiler asks for each key that a definition can have: one that is missing here would be refused when it is read. */
const workflowKeys: Keys<Workflow> = {
  format: true,
  name: true,
  version: true,
  migrations: true,
  form: true,
  inputs: true,
  tasks: true,
  maxParallel: true,
  failFast: true,
  outputs: true,
  checkpoint: true,
  graph: true,
  breakers: true,
  budget: true,
  usageLimits: true,
  workspace: true,
  base: true,
  cleanup: true,
  hash: true,
};
const taskKeys: Keys<TaskSpec> = {
  name: true,
  needs: true,
  reads: true,
  if: true,
  forEach: true,
  work: true,
  output: true,
  retry: true,
  timeoutMs: true,
  continueOnError: true,
  priority: true,
  locks: true,
  repositoryLocks: true,
  writes: true,
  onInterrupt: true,
  approval: true,
  check: true,
  workspace: true,
  setup: true,
  pool: true,
  artifacts: true,
  onConflict: true,
  sandbox: true,
  network: true,
  resources: true,
  errors: true,
  version: true,
  update: true,
  next: true,
};
/** Of all kinds together. */
const workKeys: Keys<Work> = {
  type: true,
  function: true,
  with: true,
  workflow: true,
  inherits: true,
  run: true,
  shell: true,
  env: true,
  secrets: true,
  inheritEnv: true,
  workingDirectory: true,
  capture: true,
  agents: true,
  prompt: true,
  permissions: true,
  session: true,
  model: true,
  effort: true,
  maxTurns: true,
  idleTimeoutMs: true,
  budget: true,
  args: true,
  pr: true,
  question: true,
  answer: true,
  choices: true,
  default: true,
  deadlineMs: true,
};

const head = objectWith<Workflow>({ format: oneOf(1), name: text, hash: text });

/**
 * A frozen definition was validated when it was made, and its hash is in it. What is looked for are keys of workflows, tasks and
 * their work that a newer version has added: a run is not driven by one that would ignore them.
 */
export const definition: Shape<Workflow> = {
  describe: () =>
    [workflowKeys, taskKeys, workKeys].map((keys) => `{ ${Object.keys(keys).join(', ')} }`).join(' of '),
  read(value, faults) {
    const frozen = freezeParsed(value);
    head.read(frozen, faults);
    addUnknownKeys(frozen, faults);
    return frozen;
  },
};

function addUnknownKeys(workflow: unknown, faults: Fault[]): void {
  if (!isPlainObject(workflow)) return;
  addUnknown(workflow, workflowKeys, faults);
  if (!Array.isArray(workflow['tasks'])) return;
  for (const task of workflow['tasks'] as readonly unknown[]) {
    if (!isPlainObject(task)) continue;
    addUnknown(task, taskKeys, faults);
    const { work } = task;
    if (!isPlainObject(work)) continue;
    addUnknown(work, workKeys, faults);
    if (work['type'] === 'workflow') addUnknownKeys(work['workflow'], faults);
  }
}

function addUnknown(value: object, known: Readonly<Record<string, true>>, faults: Fault[]): void {
  for (const key in value) {
    if (!Object.hasOwn(known, key)) faults.push({ path: [key], expected: 'known', unknown: 'field' });
  }
}
