import type { Json, JsonObject, ProcessIdentity } from '../base/index.ts';
import {
  mentionsFailure,
  type EventOf,
  type Failure,
  type LimitName,
  type OnInterrupt,
  type Origin,
  type RunAbout,
  type Sender,
  type TaskSpec,
  type TaskStatus,
  type Used,
  type Workflow,
} from '../model/index.ts';
import { Agenda } from './agenda.ts';
import type { Conversation } from './conversation.ts';
import type { Stage } from './stage.ts';
import type { Tally } from './tally.ts';
import type { ToldSoFar } from './usage-meter.ts';
import { isAsking, type AttemptState, type Life } from './life.ts';

/**
 * The fold of a run's journal. `fold` owns it and changes it in place (a copy per event would make the cost of a
 * transition grow with the number of tasks); everybody else only reads it, between two transitions.
 */
export interface RunState {
  readonly run: string;
  /** Of the last commit folded: the state is that checkpoint. */
  seq: number;
  /** Events folded so far: tells apart what happened within one commit, too. A decision names the one it was made at. */
  version: number;
  at: number;
  /** Of a fork, when it was forked. */
  readonly createdAt: number;
  /** The run whose past it shares. */
  readonly fork?: Fork;
  /** Seqs of checkpoints by the names that people gave them. */
  names?: Readonly<Record<string, number>>;
  /** Who drives it, or did so last; not known of an older version. */
  driver?: ProcessIdentity | undefined;
  /** The task that changed last. */
  lastTask?: string;
  /** Where it was started. */
  origin?: Origin;
  /** What tasks are given of Piton's environment: a base, and what they ask for. Absent: all of it. */
  readonly environment?: 'base';
  /** What its operator says of it. Never changed in place: the store knows by that whether it has to be written. */
  about?: RunAbout | undefined;
  /** Limits that an operator has set, in place of those in the workflow. */
  limits?: SetLimits;
  /** Functions of tasks without a `version`: a hash of their text, and since when that is the one that is called. */
  functions?: Readonly<Record<string, KnownFunction>>;
  workflow: Workflow;
  phase: RunPhase;
  /** The run's own tasks are the scope ''. */
  readonly scopes: Map<string, ScopeState>;
  readonly tasks: Map<string, TaskState>;
  readonly counts: Counts;
  /** By resource. One that is closed and has nothing to remember is not here. */
  readonly breakers: Map<string, BreakerState>;
  /** What agents have used up so far. */
  usage: Used;
  /** The last count of each session that counts from its beginning. */
  metered: Record<string, Used>;
  /** What attempts told on the way, by attempt, until a count of theirs comes. */
  toldSoFar: Record<string, ToldSoFar>;
  /** By how much people have raised the budget of the run (`run`), or of a day. */
  raised: Record<string, Raise>;
  /** What they have used by day and agent. */
  spent: Record<string, Record<string, Used>>;
  /** Sessions that a person has, by id. */
  lent: Record<string, LentSession>;
  /** Places that the items of a for-each take in turn, by its address. */
  pools: Record<string, PoolState>;
  /** Changes of foreign refs that people were told of. */
  knownRefs: readonly RefChange[];
  /** The commit that its branch was last moved to. */
  tip?: string;
  /** Of commits that were lost and given up: so far the journal is known to have gone. */
  lostTo?: number;
  /** The hash of a commit that was given up, although something outside of the journal tells of it. */
  lostHead?: string;
  /** What people had decided on before is outdated. */
  repairedAt?: number;
  /** Attempts that the journal had lost, by task, the earlier first: when it is their turn, they are taken up. */
  spooled?: Record<string, readonly SpooledAttempt[]>;
  /** The version in which a person last had it cancelled. */
  cancelledIn?: number;
  /** Where what it made has gone, last. */
  delivered?: EventOf<'run.delivered'>['data'];
  /** When its big values and transcripts were last dropped to save room. */
  payloadsDroppedAt?: number;
  /** What planning has to look at next. Derived: can be rebuilt from the rest. */
  agenda: Agenda<TaskState>;
}

export type Fork = NonNullable<EventOf<'run.created'>['data']['fork']>;

export interface KnownFunction {
  readonly source: string;
  readonly at: number;
}

export type RunPhase =
  | { readonly status: 'active' }
  | { readonly status: 'paused'; readonly reason?: string; readonly supersededBy?: string }
  | { readonly status: 'succeeded'; readonly outputs?: Json }
  | { readonly status: 'failed'; readonly failure: Failure }
  | { readonly status: 'cancelled'; readonly reason: string };

export interface Counts {
  /** Tasks known so far: for-each items and graph visits are added as they come, in place of what they are part of. */
  total: number;
  /** Tasks ever made. Never goes down, so that no two get the same place in the order. */
  made: number;
  settled: number;
  /** Attempts under way. */
  running: number;
  held: number;
  delayed: number;
  /** Places that are there. One that is lost by beginning from scratch still counts: somebody has to look after it. */
  places: number;
}

/** An amount that a budget is larger by than it was defined. */
export interface Raise {
  readonly usd: number;
  readonly tokens: number;
}

export type SetLimits = { readonly [Name in LimitName]?: SetLimit };

/** `to`: in place of what the workflow says; `none`: there is no such limit. */
export interface SetLimit {
  readonly to: number | 'none';
  readonly at: number;
  readonly by?: Sender;
}

/** Keeps tasks away from a resource that is out of order. */
export interface BreakerState {
  /** Transient failures in a row. */
  failures: number;
  /** Openings in a row: each lasts longer. */
  openings: number;
  /** Absent: closed. */
  open?: OpenBreaker;
}

export interface OpenBreaker {
  /** From then on it is half-open: one task may try. */
  readonly until: number;
  readonly reason: string;
  /** Of an agent that does not reach its model: another is preferred, but nobody waits for it. */
  readonly network?: boolean;
  /** The task that tries. */
  readonly trial?: string;
}

/** An opened group of tasks: the run's own, an inline body, or a child workflow. */
export interface ScopeState {
  /** Address of the task that owns it; '' for the run. */
  readonly owner: string;
  workflow: Workflow;
  inputs: JsonObject;
  /** Direct tasks that have not settled. */
  unsettled: number;
  /** The first task whose failure counts. */
  failed?: string;
  /** Nothing more is started here, and why. */
  cancelling?: Cancelling;
  /** Only of a graph. */
  graph?: GraphState;
}

export interface Cancelling {
  readonly reason: string;
  /** A person's cancel stops everything; fail-fast lets tasks that ask for failure() or always() run. */
  readonly failFast: boolean;
}

export interface GraphState {
  state: JsonObject;
  step: number;
  /** Address of the visit under way or just ended. */
  visit?: string;
  readonly visits: Map<string, number>;
  ended: boolean;
}

export interface TaskState {
  readonly address: string;
  /** Owner address of the scope it belongs to. */
  readonly scope: string;
  /** What it goes by: as the definition has it, or had it when it began. See `adoptWorkflow`. */
  spec: TaskSpec;
  /** That of the run in which it last came into being, began, or was decided about. See `whyStale`. */
  version: number;
  /** Creation order: among equals, the earlier starts first. */
  readonly order: number;
  /** Of a for-each. */
  readonly item?: {
    readonly key: string;
    readonly index: number;
    readonly value: Json;
    readonly parent: string;
  };
  life: Life;
  stage: Stage;
  /** One of those it needs has settled without success. */
  needFailed: boolean;
  /** One of those it needs, or they need, has failed. */
  ancestorFailed: boolean;
  /** Needs that have not settled. */
  unmet: number;
  /** How often the work was begun: what is done around it (setup, check, revision, merge) belongs to the attempt before or after. */
  attempts: number;
  tally: Tally;
  /** How often it was begun from scratch again. */
  generation?: number;
  /** A person has agreed to it: asked once, however often it is tried. */
  approved: boolean;
  /** What people have answered, by question: asked once, however often it is tried. */
  answers?: readonly Answered[];
  /** The first attempt's id: the idempotency key of all of them. Absent: it has not begun, or is to be done again. */
  key?: string;
  lastAttempt?: string;
  /** With its agent, if it has one. */
  conversation: Conversation;
  /** What its attempts have used up. */
  usage?: Used;
  /** By how much people have raised its budget. */
  raised?: Raise;
  /** Of an old journal: a person has let it go on whatever it uses. */
  overspends?: boolean;
  /** The place where it works. */
  workspace?: WorkspaceState;
  /** Of a fork: the files that its place begins with, as they were saved before. */
  inherited?: InheritedFiles;
  /** The place of its pool that it has until it settles. */
  slot?: number;
  /** It waits for a person there, so another has a place in its stead. */
  isAside?: true;
  startedAt?: number;
  endedAt?: number;
  /** The commit in which it settled: unlike times, these never go back. */
  endedIn?: number;
  /** Of a for-each, once expanded. */
  group?: GroupState;
}

/** What became of a question. `key`: of one that a function asks. */
export type Answered = { readonly key?: string } & (
  { readonly answer: Json } | { readonly refusal: Pick<Failure, 'code' | 'message'> }
);

export interface GroupState {
  readonly items: readonly string[];
  unsettled: number;
  failed: number;
}

/** The places of a pool, by number. */
export interface PoolState {
  /** Who has it now. */
  holders: Record<number, string>;
  /** Those in which the setup was done. */
  equipped: readonly number[];
}

export type SpooledAttempt = NonNullable<EventOf<'run.repaired'>['data']['spooled']>[number];

export type RefChange = EventOf<'refs.changed'>['data']['refs'][number];

export type WorkspaceState = EventOf<'workspace.prepared'>['data'] & {
  readonly isEquipped?: boolean;
  /** The commit that holds the files as they were last saved. */
  readonly snapshot?: string;
  /** The attempt at whose end that was; absent: it has gone on since. */
  readonly savedBy?: string;
  /** What a person wants done with it, and is not done yet. */
  readonly order?: PlaceOrder;
  /** A person takes it as it is. */
  readonly isAdopted?: boolean;
  /** What came of it, and the commit of the run's branch that holds it. */
  readonly integrated?: { readonly result: string; readonly commit: string };
  readonly cleaned?: EventOf<'workspace.cleaned'>['data'];
};

export interface InheritedFiles {
  /** The commit that the work began from. */
  readonly base: string;
  readonly snapshot: string;
  /** See `WorkspaceState`. */
  readonly savedBy?: string;
}

export interface PlaceOrder {
  readonly id: string;
  readonly action: 'recreate' | 'restore' | 'discard';
  readonly from?: string;
}

/** Who has a session, under which lease, and since when. */
export interface LentSession {
  readonly task: string;
  readonly host: string;
  readonly pid: number;
  readonly token: string;
  readonly at: number;
}

/** Of the attempt under way. */
export function kindOf({ life }: TaskState): AttemptState['kind'] {
  return life.status === 'running' ? life.attempt?.kind : undefined;
}

/** Of what it does at the moment. */
export function onInterruptOf(task: TaskState): OnInterrupt {
  const kind = kindOf(task);
  if (kind === 'setup' || kind === 'integrate') return 'restart';
  return kind === 'check' || kind === 'verify' ? task.spec.check!.onInterrupt : task.spec.onInterrupt;
}

/** For the default `if` of those who need it. */
export function countsAsSuccess(task: TaskState): boolean {
  return task.life.status === 'succeeded' || (task.life.status === 'failed' && task.spec.continueOnError);
}

/** It consists of other tasks, which are counted in its place: a for-each that has its items, a nested workflow that is open. */
export function isGroup({ scopes }: RunState, { address, group }: TaskState): boolean {
  return group !== undefined || scopes.has(address);
}

export function statusOfTask(task: TaskState): TaskStatus {
  if (isAsking(task.life)) return 'held';
  return task.life.status === 'pending' && task.unmet === 0 ? 'queued' : task.life.status;
}

export function taskAt(state: RunState, address: string): TaskState {
  const task = state.tasks.get(address);
  if (task === undefined)
    throw new Error(`the journal names the task ${address}, which the run does not have`);
  return task;
}

export function scopeAt(state: RunState, owner: string): ScopeState {
  const scope = state.scopes.get(owner);
  if (scope === undefined) throw new Error(`the journal names the scope of ${owner}, which was not opened`);
  return scope;
}

export function addressOf(scope: string, name: string): string {
  return scope === '' ? name : `${scope}.${name}`;
}

/** Keys are any text; in an address they must not look like its punctuation. */
export function itemAddress(parent: string, key: string): string {
  return `${parent}[${key.replaceAll(/[%[\]\p{Cc}]/gu, (character) => encodeURIComponent(character))}]`;
}

/** The scopes around a task, innermost first. */
export function* scopesAround(state: RunState, task: TaskState): Generator<ScopeState> {
  for (let scope = scopeAt(state, task.scope); ;) {
    yield scope;
    if (scope.owner === '') return;
    scope = scopeAt(state, taskAt(state, scope.owner).scope);
  }
}

/**
 * What stops a task from starting at all, if something does. At every level it is the task's own place there that
 * decides: what belongs to a task that survives a fail-fast, survives it too.
 */
export function cancellingOf(state: RunState, task: TaskState): Cancelling | undefined {
  let tooMany: Cancelling | undefined;
  for (let member = task; ; member = taskAt(state, member.scope)) {
    const { cancelling, workflow } = scopeAt(state, member.scope);
    if (stops(cancelling, member)) return cancelling;
    const failed =
      workflow.failFast || isFailFastItem(state, member) ? tooManyFailed(state, member) : undefined;
    if (stops(failed, member)) tooMany ??= failed;
    // Items may have failed only because everything around them is being cancelled: then that is the reason.
    if (member.scope === '') return tooMany;
  }
}

/** Whether one failed item too many stops those that run, by the for-each itself. */
export function isFailFastItem(state: RunState, { item }: TaskState): boolean {
  return item !== undefined && taskAt(state, item.parent).spec.forEach!.failFast === true;
}

/** Cleaning up after a failure is what a task with failure() or always() is for. */
function stops(cancelling: Cancelling | undefined, task: TaskState): boolean {
  return cancelling !== undefined && !(cancelling.failFast && mentionsFailure(task.spec.if));
}

/** Of the items of a for-each: then the others are not started, and with fail-fast stopped. */
export function tooManyFailed(state: RunState, { item }: TaskState): Cancelling | undefined {
  if (item === undefined) return undefined;
  const { group, spec, address } = taskAt(state, item.parent);
  const { maxFailures, failFast } = spec.forEach!;
  if (group!.failed <= maxFailures || failFast === false) return undefined;
  return { reason: `too many items of ${address} failed`, failFast: true };
}
