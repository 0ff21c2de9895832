import { freezeParsed, hashJson, type Json } from '../base/index.ts';
import type { CheckSpec, SetupSpec, Work, Workflow } from '../model/index.ts';
import { checkAgent, suggestAgent } from './define/check-agent.ts';
import { checkAsk, finishAsk } from './define/check-ask.ts';
import { checkChildInputs } from './define/check-child-inputs.ts';
import { checkGraph } from './define/check-graph.ts';
import { checkLimits } from './define/check-limits.ts';
import { checkMigrations } from './define/check-migrations.ts';
import { checkNames } from './define/check-names.ts';
import { checkNeeds, type NeedsGraph } from './define/check-needs.ts';
import { createReadsChecker, declaredReads, readsOfSites, type Read } from './define/check-reads.ts';
import { suggestInterrupt } from './define/check-command.ts';
import { checkDelivery } from './define/check-delivery.ts';
import { checkPlace, checkPlaces } from './define/check-place.ts';
import { checkRepositoryLocks } from './define/check-repository-locks.ts';
import { checkSessions } from './define/check-sessions.ts';
import { checkTemplates } from './define/check-templates.ts';
import { taskSites, valueSites } from './define/expression-sites.ts';
import { finishDelivery, withDelivery } from './define/delivery-task.ts';
import { fillTask, fillWorkflow } from './define/fill-defaults.ts';
import { finishAgent } from './define/finish-agent.ts';
import { finishCheck, suggestCheck } from './define/finish-check.ts';
import { finishCommand } from './define/finish-command.ts';
import { finishSetup, suggestSetup } from './define/finish-setup.ts';
import { freezeHead, freezeTask } from './define/freeze-values.ts';
import { checkDefaults, giveDefaults } from './define/input-defaults.ts';
import { hyphenatedNames } from './define/known-names.ts';
import { openScope, taskPath, type Scope } from './define/scope.ts';
import { checkChild, suggestChild } from './define/check-child.ts';
import { shareWriteLocks } from './define/share-write-locks.ts';
import { definitionError, toCodeProblem, type Finding, type Path } from './problems.ts';
import type { TaskDraft, WorkflowDraft } from './workflow-draft.ts';

/**
 * Fills in every default, checks the whole, freezes and hashes it. All that is wrong is told at once, in one
 * PitonError `DEFINITION_INVALID` whose `details.problems` is a list of `Problem`.
 */
export function defineWorkflow(draft: WorkflowDraft): Workflow {
  const { workflow, findings } = normaliseWorkflow(draft);
  if (workflow === undefined)
    throw definitionError(findings.map(toCodeProblem), `The workflow \`${draft.name}\``);
  return workflow;
}

export interface Normalised {
  /** Absent exactly when there are findings. */
  readonly workflow?: Workflow;
  readonly findings: readonly Finding[];
  readonly suggestions: readonly Finding[];
  /** What an inline body reads of the tasks around it. */
  readonly outerReads: readonly Read[];
}

/** Where a workflow stands: by itself, or as the inline body of a task. */
export interface Surroundings {
  readonly at: Path;
  readonly inherits: boolean;
  readonly names: ReadonlySet<string>;
}

const standingAlone: Surroundings = { at: [], inherits: false, names: new Set() };

export function normaliseWorkflow(draft: WorkflowDraft, around: Surroundings = standingAlone): Normalised {
  const head = freezeHead(withDelivery(draft), around.at);
  const scope = openScope(head.value, around.at, around.inherits);
  const names = hyphenatedNames(scope.draft, around.inherits ? around.names : new Set());
  const { graph, findings } = checkNeeds(scope);
  const tasks = scope.draft.tasks.map((task) => inspectTask(scope, task, names));
  const reads = checkReads(scope, graph, { tasks, names });
  const all = [
    ...head.findings,
    ...checkNames(scope),
    ...checkDefaults(scope),
    ...findings,
    ...checkGraph(scope),
    ...checkHead(scope),
    ...checkSessions(scope, graph),
    ...tasks.flatMap((task) => task.findings),
    ...reads.findings,
  ];
  if (all.length > 0) return { findings: all, suggestions: [], outerReads: reads.outer };
  const { locks, suggestions } = shareWriteLocks(scope, graph);
  const specs = tasks.map(({ task, work, check, setup }, position) =>
    fillTask({
      task,
      check,
      setup,
      work: giveDefaults(work!),
      reads: reads.ofTasks[position]!,
      writeLock: locks.get(position),
      names,
    }),
  );
  return {
    workflow: seal(fillWorkflow(scope, specs, names)),
    findings: [],
    suggestions: [...suggestions, ...tasks.flatMap((task) => task.suggestions)],
    outerReads: reads.outer,
  };
}

/** What concerns the workflow as a whole. */
function checkHead(scope: Scope): Finding[] {
  return [...checkLimits(scope), ...checkMigrations(scope), ...checkPlaces(scope), ...checkDelivery(scope)];
}

function seal(body: Omit<Workflow, 'hash'>): Workflow {
  return freezeParsed({ ...body, hash: hashJson(body as unknown as Json) });
}

interface InspectedTask {
  readonly task: TaskDraft;
  /** Absent if its nested workflow is wrong. */
  readonly work: Work | undefined;
  readonly check: CheckSpec | undefined;
  readonly setup: SetupSpec | undefined;
  readonly reads: readonly Read[];
  readonly findings: readonly Finding[];
  readonly suggestions: readonly Finding[];
}

/** What can be said about a task by itself, with the workflow nested in it. */
function inspectTask(scope: Scope, draft: TaskDraft, names: ReadonlySet<string>): InspectedTask {
  const at = taskPath(scope, draft);
  const { value: task, findings } = freezeTask(draft, at);
  const sites = taskSites(task, at);
  const read = readsOfSites(sites, names);
  const { work, nested } = finishWork(task, { at, inherits: true, names });
  const declared = declaredReads(task, scope);
  const checked = finishCheck(task, at);
  const equipped = finishSetup(task, at);
  return {
    task,
    work,
    check: checked.check,
    setup: equipped.setup,
    reads: [...read.reads, ...declared, ...nested.outerReads],
    suggestions: [
      ...nested.suggestions,
      ...suggestInterrupt(task, at),
      ...suggestCheck(task, at),
      ...suggestSetup(task, scope.draft.workspace, at),
      ...suggestAgent(task, at),
      ...suggestChild(task, at),
    ],
    findings: [
      ...findings,
      ...checkTemplates(sites),
      ...read.findings,
      ...nested.findings,
      ...checked.findings,
      ...checkPlace(task, scope.draft.workspace, at),
      ...checkRepositoryLocks(task, at),
      ...checkChild(task, at),
      ...equipped.findings,
      ...(work === undefined ? [] : checkChildInputs(task, work, at)),
    ],
  };
}

const nothingNested: Normalised = { findings: [], suggestions: [], outerReads: [] };

function finishWork(task: TaskDraft, around: Surroundings): { work: Work | undefined; nested: Normalised } {
  const { work } = task;
  if (work.type === 'function') return { work, nested: nothingNested };
  if (work.type === 'command') {
    const { work: command, findings } = finishCommand(task, work, around.at);
    return { work: command, nested: { ...nothingNested, findings } };
  }
  if (work.type === 'deliver') return { work: finishDelivery(work), nested: nothingNested };
  if (work.type === 'ask') {
    const findings = checkAsk(task, work, around.at);
    return { work: finishAsk(work), nested: { ...nothingNested, findings } };
  }
  if (work.type === 'agent') {
    const findings = checkAgent(task, work, around.at);
    return { work: finishAgent(work), nested: { ...nothingNested, findings } };
  }
  const inherits = work.inherits ?? false;
  if (isFinished(work.workflow)) {
    return { work: { ...work, workflow: work.workflow, inherits } as Work, nested: nothingNested };
  }
  const nested = normaliseWorkflow(work.workflow, { ...around, inherits });
  const { workflow } = nested;
  return { work: workflow === undefined ? undefined : ({ ...work, workflow, inherits } as Work), nested };
}

function isFinished(workflow: Workflow | WorkflowDraft): workflow is Workflow {
  return 'hash' in workflow && Object.isFrozen(workflow);
}

interface CheckedReads {
  readonly ofTasks: readonly (readonly string[])[];
  readonly outer: readonly Read[];
  readonly findings: readonly Finding[];
}

function checkReads(
  scope: Scope,
  graph: NeedsGraph,
  { tasks, names }: { tasks: readonly InspectedTask[]; names: ReadonlySet<string> },
): CheckedReads {
  const checker = createReadsChecker(scope, graph);
  const sites = valueSites(scope.draft.outputs, 'outputs', [...scope.at, 'outputs']);
  const outputs = readsOfSites(sites, names);
  const ofTasks = tasks.map(({ task, reads }) => checker.ofTask(task, reads));
  const all = [...ofTasks, checker.ofOutputs(outputs.reads)];
  return {
    ofTasks: ofTasks.map((found) => found.names),
    outer: all.flatMap((found) => found.outer),
    findings: [...checkTemplates(sites), ...outputs.findings, ...all.flatMap((found) => found.findings)],
  };
}
