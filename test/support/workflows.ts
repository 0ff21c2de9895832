/** Workflows as literal data, with only what a test cares about spelt out. */
import { freezeParsed, sha256, type Json, type JsonObject } from '../../src/base/index.ts';
import type {
  AgentWork,
  CheckSpec,
  CommandWork,
  EdgeSpec,
  ForEachSpec,
  RetryPolicy,
  TaskSpec,
  Work,
  Workflow,
} from '../../src/model/index.ts';

export const once: RetryPolicy = {
  attempts: 1,
  backoffMs: 1_000,
  factor: 2,
  maxBackoffMs: 60_000,
  jitter: 0,
  on: [],
  notOn: [],
};

export function tries(attempts: number, given: Partial<RetryPolicy> = {}): RetryPolicy {
  return { ...once, attempts, ...given };
}

export function task(name: string, given: Partial<TaskSpec> = {}): TaskSpec {
  return {
    name,
    needs: [],
    reads: given.needs ?? [],
    work: { type: 'function', function: name },
    retry: once,
    continueOnError: false,
    priority: 0,
    locks: [],
    writes: [],
    onInterrupt: 'restart',
    ...given,
  };
}

/** A task of these agents, by preference. */
export function agentTask(
  name: string,
  agents: readonly string[],
  { work, ...more }: Partial<Omit<TaskSpec, 'work'>> & { readonly work?: Partial<AgentWork> } = {},
): TaskSpec {
  const plain = { prompt: 'Do it', permissions: 'edit', args: [], env: {}, secrets: [] } as const;
  return task(name, { ...more, work: { type: 'agent', agents, ...plain, ...work } });
}

export function command(run: string): CommandWork {
  return { type: 'command', run, shell: 'sh', env: {}, secrets: [], capture: 'none' };
}

/** A check that lets an agent revise its work so often. */
export function checkOf(revise: number, given: Partial<CheckSpec> = {}): CheckSpec {
  return { work: command('npm test'), revise, onInterrupt: 'restart', ...given };
}

export function workflow(tasks: readonly TaskSpec[], given: Partial<Workflow> = {}): Workflow {
  return sealed({ form: 'tasks', tasks, ...given });
}

export interface GraphGiven extends Partial<Workflow> {
  readonly start?: string;
  readonly state?: JsonObject;
  readonly maxSteps?: number;
}

/** Starts at the first node unless told otherwise. */
export function graph(nodes: readonly TaskSpec[], given: GraphGiven = {}): Workflow {
  const { start = nodes[0]!.name, state = {}, maxSteps = 100, ...rest } = given;
  return sealed({ form: 'graph', tasks: nodes, graph: { start, state, maxSteps }, ...rest });
}

/** A node; `next` as people write it: a name, or edges. */
export function node(
  name: string,
  next: string | readonly EdgeSpec[],
  given: Partial<TaskSpec> = {},
): TaskSpec {
  return task(name, { next: typeof next === 'string' ? [{ to: next }] : next, ...given });
}

export function forEach(list: Json | { $function: string }, given: Partial<ForEachSpec> = {}): ForEachSpec {
  return { in: list, matrix: false, as: 'item', maxFailures: 0, ...given };
}

/** An inline body: sees what is around it. */
export function body(nested: Workflow): Work {
  return { type: 'workflow', workflow: nested, inherits: true };
}

/** A child workflow with inputs of its own. */
export function uses(nested: Workflow, inputs?: Json | { $function: string }): Work {
  return {
    type: 'workflow',
    workflow: nested,
    inherits: false,
    ...(inputs !== undefined && { with: inputs }),
  };
}

function sealed(given: Partial<Workflow>): Workflow {
  const made = {
    format: 1,
    name: 'test',
    inputs: {},
    failFast: false,
    checkpoint: { every: { tasks: 1 }, preserve: true },
    ...given,
  };
  const text = JSON.stringify(made);
  return freezeParsed({ ...(JSON.parse(text) as Workflow), hash: sha256(text) });
}
