import { freezeParsed, type Json, type JsonObject } from '../../base/index.ts';
import { defaultCheckpoint, isFunctionRef } from '../../model/index.ts';
import type {
  AskWork,
  BreakerPolicy,
  CommandWork,
  Condition,
  DeliverWork,
  Dynamic,
  EdgeSpec,
  ForEachSpec,
  GraphSpec,
  InputSpec,
  OnInterrupt,
  RetryPolicy,
  SetupSpec,
  TaskSpec,
  UsageLimits,
  Workflow,
} from '../../model/index.ts';
import { splitCondition, withDefaultStatus } from '../expressions/conditions.ts';
import { joinNames } from '../expressions/rewrite.ts';
import { expressionsOf, hasExpression, splitTemplate } from '../expressions/templates.ts';
import type {
  ForEachDraft,
  GraphDraft,
  TaskDraft,
  UsageLimitsDraft,
  WorkflowDraft,
} from '../workflow-draft.ts';
import { irreversibleReason } from './classify-command.ts';
import { mapTexts } from './expression-sites.ts';
import { quietHoursOf } from './quiet-hours.ts';
import type { Scope } from './scope.ts';

/** What the checks found out and the draft does not say itself. */
export interface FilledTask {
  readonly task: TaskDraft;
  readonly work: TaskSpec['work'];
  readonly check: TaskSpec['check'];
  readonly setup: TaskSpec['setup'];
  readonly reads: readonly string[];
  readonly writeLock: string | undefined;
  /** Known names with hyphens. */
  readonly names: ReadonlySet<string>;
}

/** Shared by all tasks that do not say otherwise: they are many. */
const defaultRetry: RetryPolicy = freezeParsed({
  attempts: 1,
  backoffMs: 1_000,
  factor: 2,
  maxBackoffMs: 60_000,
  jitter: 0.5,
  on: [],
  notOn: [],
});
const none: readonly string[] = freezeParsed([]);
const defaultMaxSteps = 100;
const defaultBreaker: BreakerPolicy = { failures: 5, cooldownMs: 30_000, maxCooldownMs: 1_800_000 };

/** Everything of the workflow but its hash. */
export function fillWorkflow(
  scope: Scope,
  tasks: readonly TaskSpec[],
  names: ReadonlySet<string>,
): Omit<Workflow, 'hash'> {
  const { draft } = scope;
  return withoutUndefined({
    format: 1 as const,
    name: draft.name,
    version: draft.version,
    migrations: draft.migrations && fillMigrations(draft.migrations, names),
    form: scope.form,
    inputs: fillInputs(draft.inputs ?? {}),
    tasks,
    maxParallel: draft.maxParallel,
    failFast: draft.failFast ?? false,
    outputs: joinInDynamic(draft.outputs, names),
    checkpoint: { ...defaultCheckpoint, ...withoutUndefined(draft.checkpoint ?? {}) },
    graph: draft.graph === undefined ? undefined : fillGraph(draft.graph),
    breakers: draft.breakers && fillBreakers(draft.breakers),
    budget: draft.budget,
    usageLimits: draft.usageLimits && fillUsageLimits(draft.usageLimits),
    workspace: draft.workspace,
    base: draft.base,
    cleanup: draft.cleanup,
  });
}

export function fillTask({ task, work, check, setup, reads, writeLock, names }: FilledTask): TaskSpec {
  // A set, as a finished task that is filled in again brings its write lock along.
  const locks = writeLock === undefined ? task.locks : [...new Set([...(task.locks ?? []), writeLock])];
  return withoutUndefined({
    name: task.name,
    needs: copyList(task.needs),
    reads: copyList(reads),
    if: task.if === undefined ? undefined : fillCondition(task.if, names),
    forEach: task.forEach === undefined ? undefined : fillForEach(task.forEach, names),
    work: fillWork(work, names),
    output: task.output,
    retry: task.retry === undefined ? defaultRetry : fillRetry(task.retry),
    timeoutMs: task.timeoutMs,
    ...fillFlags(task, work),
    locks: copyList(locks),
    repositoryLocks: copyFilled(task.repositoryLocks),
    writes: copyList(task.writes),
    approval: joinInDynamic(task.approval, names),
    check: check && { ...check, work: fillWork(check.work, names) as CommandWork },
    workspace: task.workspace,
    setup: setup && fillSetup(setup, names),
    pool: task.pool,
    artifacts: copyFilled(task.artifacts),
    onConflict: task.onConflict,
    sandbox: task.sandbox,
    network: task.network,
    resources: copyFilled(task.resources),
    errors: copyFilled(task.errors),
    version: task.version,
    update: joinInDynamic(task.update ?? updateByText(task, work), names),
    next: task.next?.map((edge) => fillEdge(edge, names)),
  });
}

function fillSetup({ copy, work, ports, caches }: SetupSpec, names: ReadonlySet<string>): SetupSpec {
  return withoutUndefined({
    copy: copyList(copy),
    work: work && (fillWork(work, names) as CommandWork),
    ports,
    caches: copyFilled(caches),
  });
}

/** What a command prints, or an agent or a person answers, is no change of a state. */
function updateByText({ next }: TaskDraft, work: TaskSpec['work']): Dynamic | undefined {
  if (next === undefined) return undefined;
  return work.type === 'agent' || work.type === 'ask' || (work.type === 'command' && work.capture !== 'json')
    ? {}
    : undefined;
}

function fillWork(work: TaskSpec['work'], names: ReadonlySet<string>): TaskSpec['work'] {
  if (work.type === 'deliver')
    return { ...work, pr: joinInDynamic(work.pr as JsonObject, names) as DeliverWork['pr'] };
  if (work.type === 'ask') return fillAsk(work, names);
  if (work.type !== 'command' && work.type !== 'agent') {
    return withoutUndefined({ ...work, with: joinInDynamic(work.with, names) }) as TaskSpec['work'];
  }
  const { env, workingDirectory } = work;
  const told = work.type === 'command' ? { run: work.run } : { prompt: work.prompt };
  return withoutUndefined({
    ...work,
    ...(joinInDynamic(told, names) as object),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, joinInDynamic(value, names)])),
    workingDirectory: joinInDynamic(workingDirectory, names),
  }) as TaskSpec['work'];
}

function fillAsk(
  { question, choices, default: fallback, ...rest }: AskWork,
  names: ReadonlySet<string>,
): AskWork {
  return withoutUndefined({
    ...rest,
    question: joinInDynamic(question, names) as string,
    choices: joinInDynamic(choices, names),
    default: joinInDynamic(fallback, names),
  }) as AskWork;
}

function fillFlags(
  task: TaskDraft,
  work: TaskSpec['work'],
): Pick<TaskSpec, 'continueOnError' | 'priority' | 'onInterrupt'> {
  return {
    continueOnError: task.continueOnError ?? false,
    priority: task.priority ?? 0,
    onInterrupt: task.onInterrupt ?? onInterruptOf(work),
  };
}

function onInterruptOf(work: TaskSpec['work']): OnInterrupt {
  if (work.type === 'agent') return 'continue';
  return work.type === 'command' && irreversibleReason(work.run) !== undefined ? 'ask' : 'restart';
}

function fillRetry(retry: NonNullable<TaskDraft['retry']>): RetryPolicy {
  const { on, notOn, ...rest } = retry;
  return { ...defaultRetry, ...withoutUndefined(rest), on: copyList(on), notOn: copyList(notOn) };
}

function fillEdge(edge: EdgeSpec, names: ReadonlySet<string>): EdgeSpec {
  const condition = edge.if === undefined ? undefined : joinInCondition(edge.if, names);
  return withoutUndefined({ if: condition, to: edge.to });
}

/** The workflow is frozen; lists of the user's are not. */
function copyList(list: readonly string[] | undefined): readonly string[] {
  return list === undefined || list.length === 0 ? none : [...list];
}

/** Undefined where there is nothing: then the key is meant to be absent. */
function copyFilled<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list === undefined || list.length === 0 ? undefined : [...list];
}

function fillInputs(inputs: NonNullable<WorkflowDraft['inputs']>): Record<string, InputSpec> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [
      name,
      withoutUndefined({ ...input, required: input.required ?? input.default === undefined }),
    ]),
  );
}

function fillGraph({ start, state, maxSteps }: GraphDraft): GraphSpec {
  return { start, state: state ?? {}, maxSteps: maxSteps ?? defaultMaxSteps };
}

function fillMigrations(
  migrations: NonNullable<Workflow['migrations']>,
  names: ReadonlySet<string>,
): Workflow['migrations'] {
  if (Object.keys(migrations).length === 0) return undefined;
  const filled = Object.entries(migrations).map(([step, { inputs, state, outputs = {} }]) => {
    const ofTasks = Object.entries(outputs).map(([task, value]) => [task, joinInDynamic(value, names)]);
    return [
      step,
      withoutUndefined({
        inputs: joinInDynamic(inputs, names),
        state: joinInDynamic(state, names),
        outputs: ofTasks.length === 0 ? undefined : (Object.fromEntries(ofTasks) as Record<string, Dynamic>),
      }),
    ] as const;
  });
  return Object.fromEntries(filled);
}

function fillBreakers(
  breakers: NonNullable<WorkflowDraft['breakers']>,
): Readonly<Record<string, BreakerPolicy>> {
  return Object.fromEntries(
    Object.entries(breakers).map(([resource, breaker]) => [
      resource,
      { ...defaultBreaker, ...withoutUndefined(breaker) },
    ]),
  );
}

/** Nothing said is the same as nothing there: as long as it takes, at any hour. */
function fillUsageLimits({ maxWaitMs, quietHours }: UsageLimitsDraft): UsageLimits | undefined {
  const limits = withoutUndefined({ maxWaitMs, quietHours: quietHours && quietHoursOf(quietHours) });
  return Object.keys(limits).length === 0 ? undefined : (limits as UsageLimits);
}

function fillForEach(forEach: ForEachDraft, names: ReadonlySet<string>): ForEachSpec {
  const matrix = forEach.matrix ?? false;
  return withoutUndefined({
    in: joinInDynamic(forEach.in, names)!,
    matrix,
    as: forEach.as ?? (matrix ? 'matrix' : 'item'),
    key: joinInDynamic(forEach.key, names),
    maxParallel: forEach.maxParallel,
    maxFailures: forEach.maxFailures ?? 0,
    failFast: forEach.failFast,
  });
}

function fillCondition(condition: Condition, names: ReadonlySet<string>): Condition {
  const joined = joinInCondition(condition, names);
  return typeof joined === 'string' ? withDefaultStatus(joined) : joined;
}

function joinInCondition(condition: Condition, names: ReadonlySet<string>): Condition {
  if (typeof condition !== 'string') return condition;
  const [part] = expressionsOf(splitCondition(condition));
  return joinNames(part!.expression, names).text;
}

function joinInDynamic(value: Dynamic | undefined, names: ReadonlySet<string>): Dynamic | undefined {
  if (names.size === 0 || value === undefined || isFunctionRef(value)) return value;
  return mapTexts(value as Json, (text) => (hasExpression(text) ? joinInText(text, names) : text));
}

function joinInText(text: string, names: ReadonlySet<string>): string {
  return splitTemplate(text)
    .parts.map((part) => ('text' in part ? part.text : `\${{ ${joinNames(part.expression, names).text} }}`))
    .join('');
}

type Defined<T> = { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/** An absent key and one that is undefined are told apart by types and by hashes: only the first is meant here. */
function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Defined<T>;
}
