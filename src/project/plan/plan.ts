import { formatDuration, shellWord, type Json, type JsonObject } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';
import type { Definition } from '../../library/index.ts';
import type {
  AskWork,
  CheckSpec,
  CommandWork,
  DeliverWork,
  Dynamic,
  SetupSpec,
  TaskSpec,
  Workflow,
} from '../../model/index.ts';
import { boundsOf, boundsOfProject } from './bounds.ts';

import { checkBase } from './check-base.ts';
import { placesIn, type PlannedPlace } from './plan-places.ts';
import { planAgent, type PlannedAgent } from './plan-agent.ts';
import { rulesOf } from './plan-rules.ts';
import { rendererFor, textOf, type Render } from './render-known.ts';

/** What is known of a run before it begins. */
export interface Plan {
  readonly workflow: string;
  readonly form: 'tasks' | 'graph';
  readonly inputs: JsonObject;
  readonly maxParallel?: number;
  readonly failFast: boolean;
  /** The branch or commit that worktrees begin from, if it is not HEAD. */
  readonly base?: string;
  /** What its agents may use, and what happens at usage limits, in words. */
  readonly bounds: readonly string[];
  /** Tasks that may run side by side, in the order of what they need. Of a graph: its nodes. */
  readonly levels: readonly (readonly PlannedTask[])[];
}

/** One task of a plan. */
export interface PlannedTask {
  readonly task: string;
  readonly needs: readonly string[];
  /** The command, the prompt, or what else is done, in words. */
  readonly work: string;
  /** Values that the work is given by name: known ones as they are, others as they are written. */
  readonly values: Readonly<Record<string, Json>>;
  /** Names of the environment variables that it is given, and whose values are written down nowhere. */
  readonly secrets: readonly string[];
  /** Who does it, if it is a coding agent; `work` is the prompt. */
  readonly agent?: PlannedAgent;
  /** The command that decides whether an agent's work is done. */
  readonly check?: PlannedCheck;
  /** Where it works; of a nested workflow, where each of its tasks does. */
  readonly places: readonly PlannedPlace[];
  /** What makes its place usable. */
  readonly setup?: PlannedSetup;
  /** Conditions, retries, limits and the like, in words. */
  readonly rules: readonly string[];
}

/** The command that decides whether the work is done. */
export interface PlannedCheck {
  readonly work: string;
  readonly values: Readonly<Record<string, Json>>;
  /** So often at most the agent is told what was wrong, in the same session. */
  readonly revise: number;
}

/** What is done in a place before the work. */
export interface PlannedSetup {
  /** Files that are brought along. */
  readonly copy: readonly string[];
  readonly ports?: number;
  readonly caches?: readonly string[];
  readonly work?: string;
  readonly values: Readonly<Record<string, Json>>;
}

/** Throws `BASE_UNKNOWN`, `AGENT_UNKNOWN`. */
export async function planRun(definition: Definition, inputs: JsonObject, config: Config): Promise<Plan> {
  const { createEvaluator } = await import('../../definition/index.ts');
  const { workflow, closures } = definition;
  if (workflow.base !== undefined) checkBase(workflow.base, config.root);
  const render = rendererFor(await createEvaluator(workflow, closures), inputs);
  const places = Map.groupBy(placesIn(workflow, config), ({ task }) => task.split('/')[0]);
  const planned = (spec: TaskSpec): PlannedTask => ({
    task: spec.name,
    needs: spec.needs,
    ...workOf(spec, render),
    ...(spec.check !== undefined && { check: checkOf(spec.check, render) }),
    ...placeOf(spec, places.get(spec.name) ?? [], render),
    rules: rulesOf(spec, render),
  });
  const { name, form, maxParallel, failFast, base } = workflow;
  return {
    workflow: name,
    form,
    inputs,
    ...(maxParallel !== undefined && { maxParallel }),
    failFast,
    ...(base !== undefined && { base }),
    bounds: [...boundsOf(workflow), ...boundsOfProject(config)],
    levels: levelsOf(workflow).map((level) => level.map(planned)),
  };
}

function levelsOf({ form, tasks }: Workflow): TaskSpec[][] {
  if (form === 'graph') return [[...tasks]];
  const depths = new Map<string, number>();
  const specs = new Map(tasks.map((spec) => [spec.name, spec]));
  const depthOf = (name: string): number => {
    const known = depths.get(name);
    if (known !== undefined) return known;
    const depth = Math.max(0, ...(specs.get(name)?.needs ?? []).map((need) => depthOf(need) + 1));
    depths.set(name, depth);
    return depth;
  };
  const levels: TaskSpec[][] = [];
  for (const spec of tasks) (levels[depthOf(spec.name)] ??= []).push(spec);
  return levels;
}

type PlannedWork = Pick<PlannedTask, 'work' | 'values' | 'secrets' | 'agent'>;

function workOf({ work }: TaskSpec, render: Render): PlannedWork {
  switch (work.type) {
    case 'command':
      return commandOf(work, render);
    case 'agent':
      return {
        work: textOf(render(work.prompt)),
        agent: planAgent(work),
        values: valuesOf(work, render),
        secrets: work.secrets,
      };
    case 'function':
      return { work: `function ${work.function}`, values: withOf(work.with, render), secrets: [] };
    case 'workflow': {
      const { name, tasks } = work.workflow;
      const inner = tasks.map((task) => task.name).join(', ');
      return { work: `workflow ${name}: ${inner}`, values: withOf(work.with, render), secrets: [] };
    }
    case 'deliver':
      return deliveryOf(work, render);
    case 'ask':
      return questionOf(work, render);
  }
}

function deliveryOf({ pr }: DeliverWork, render: Render): PlannedWork {
  const { base, draft, ...texts } = pr;
  const into = base === undefined ? '' : ` into ${base}`;
  const values = Object.entries(texts).map(([key, value]) => [key, render(value)] as const);
  const work = `push the branch of the run, and open a ${draft ? 'draft of a ' : ''}pull request${into}`;
  return { work, values: Object.fromEntries(values), secrets: [] };
}

function questionOf({ question, answer, choices, ...rest }: AskWork, render: Render): PlannedWork {
  const values = {
    ...(choices === undefined ? { answer } : { choices: render(choices) }),
    ...(rest.default !== undefined && { default: render(rest.default) }),
    ...(rest.deadlineMs !== undefined && { deadline: formatDuration(rest.deadlineMs) }),
  };
  return { work: `ask a person: ${textOf(render(question))}`, values, secrets: [] };
}

function withOf(given: Dynamic | undefined, render: Render): Readonly<Record<string, Json>> {
  return given === undefined ? {} : { with: render(given) };
}

function checkOf({ work, revise }: CheckSpec, render: Render): PlannedCheck {
  const command = commandOf(work, render);
  return { work: command.work, values: command.values, revise };
}

/** A setup without a place of its own is none. */
function placeOf(
  { setup }: TaskSpec,
  places: readonly PlannedPlace[],
  render: Render,
): Pick<PlannedTask, 'places' | 'setup'> {
  const isDone = setup !== undefined && places.some(({ place }) => place.mode !== 'shared');
  return { places, ...(isDone && { setup: setupOf(setup, render) }) };
}

function setupOf({ work, ...filling }: SetupSpec, render: Render): PlannedSetup {
  if (work === undefined) return { ...filling, values: {} };
  const command = commandOf(work, render);
  return { ...filling, work: command.work, values: command.values };
}

function commandOf(command: CommandWork, render: Render): PlannedWork {
  const { run, secrets } = command;
  return {
    work: typeof run === 'string' ? run : run.map((part) => shellWord(textOf(render(part)))).join(' '),
    values: valuesOf(command, render),
    secrets,
  };
}

function valuesOf(
  { env, workingDirectory }: Pick<CommandWork, 'env' | 'workingDirectory'>,
  render: Render,
): Readonly<Record<string, Json>> {
  const values = Object.entries(env).map(([name, value]) => [name, render(value)] as const);
  return Object.fromEntries([
    ...values,
    ...(workingDirectory === undefined ? [] : [['working-directory', render(workingDirectory)] as const]),
  ]);
}
