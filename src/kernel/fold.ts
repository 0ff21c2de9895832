import { sealJson, type JsonObject } from '../base/index.ts';
import type { Commit, Event, EventOf, EventType } from '../model/index.ts';
import { Agenda } from './agenda.ts';
import { noteProgress } from './beliefs.ts';
import {
  askAgain,
  beginTrials,
  closeBreaker,
  countForBreakers,
  hastenTrial,
  openBreaker,
} from './breakers.ts';
import { beginTurn, endTurn, learnVersion } from './fold-conversation.ts';
import { decideAnew, turnFolders } from './fold-turns.ts';
import { placeFolders } from './fold-places.ts';
import { delayTask, shiftTimers } from './delay-task.ts';
import { applyPatch } from './difference.ts';
import { adoptWorkflow, renewSpec } from './adopt-workflow.ts';
import { isSame } from './changed-fields.ts';
import { comeBack, dropProposal, takeSlot } from './holdings.ts';
import { acquire } from './limits.ts';
import { addItems, addVisit, openScope } from './new-tasks.ts';
import { meetDriver } from './meet-driver.ts';
import { countNetworkFailure } from './network.ts';
import { foldRaise } from './budgets.ts';
import { decideGate, openGate } from './fold-gates.ts';
import { foldFork } from './fold-fork.ts';
import { uncertainFolders } from './fold-import.ts';
import { foldAbout, foldLimits } from './fold-settings.ts';
import { reopenTasks } from './reopen-tasks.ts';
import { kindOf, scopeAt, taskAt, type RunState, type TaskState } from './run-state.ts';
import { countInterruption } from './in-a-row.ts';
import { forgetSpooled, forgetUnfit } from './spooled.ts';
import { beginsAttempt, nextKind } from './turns.ts';
import { countUsage, openAccount } from './usage.ts';
import { nothingUsed } from './usage-meter.ts';
import { cancelScope, holdTask, setLife, settleTask, vacate } from './settle-task.ts';
import { type AttemptState, dueTime, gateOf, type Life, personsTurn } from './life.ts';

/** The state after a whole journal, or after one more commit. The first commit must begin with `run.created`. */
export function foldCommit(state: RunState | undefined, commit: Commit): RunState {
  const folded = state ?? newRunState(commit);
  for (const event of commit.events) fold(folded, event, commit);
  return folded;
}

/** Where in the journal an event stands. */
export interface Position {
  readonly seq: number;
  readonly at: number;
}

/** Folds one event into the state. Deciding happens elsewhere: here everything has already happened. */
export function fold(state: RunState, event: Event, { seq, at }: Position): void {
  state.seq = seq;
  state.version++;
  state.at = at;
  if ('task' in event && event.task !== undefined) state.lastTask = event.task;
  (folders[event.type] as (state: RunState, event: Event) => void)(state, event);
}

export function newRunState({ run, seq, at, events }: Commit): RunState {
  const [created] = events;
  if (created?.type !== 'run.created')
    throw new Error(`the journal of ${run} does not begin with run.created`);
  return {
    run,
    seq,
    version: 0,
    at,
    createdAt: created.data.fork?.at ?? at,
    ...(created.data.fork !== undefined && { fork: created.data.fork }),
    ...(created.data.origin !== undefined && { origin: created.data.origin }),
    ...(created.data.environment !== undefined && { environment: created.data.environment }),
    ...(created.data.about !== undefined && { about: created.data.about }),
    workflow: created.data.workflow,
    phase: { status: 'active' },
    scopes: new Map(),
    tasks: new Map(),
    counts: { total: 0, made: 0, settled: 0, running: 0, held: 0, delayed: 0, places: 0 },
    breakers: new Map(),
    usage: nothingUsed,
    metered: {},
    toldSoFar: {},
    raised: {},
    spent: {},
    lent: {},
    pools: {},
    knownRefs: [],
    agenda: new Agenda(),
  };
}

function learnOfAttempt(state: RunState, task: TaskState, news: Partial<AttemptState>): void {
  const { life } = task;
  if (life.status !== 'running' || life.attempt === undefined) return;
  setLife(state, task, { status: 'running', attempt: { ...life.attempt, ...news } });
}

/** Before budgets were raised by amounts, letting a task go on lifted them for it. Those that wait for an amount say so otherwise. */
function isLifted(life: Life): boolean {
  if (life.status === 'held') return life.waitsFor.type === 'budget' && life.actions.includes('retry');
  if (life.status !== 'delayed') return false;
  return life.waitsFor.type === 'budget' && life.waitsFor.day === undefined;
}

/** A fork begins before it: the first attempt here is the first. */
function isForgotten(task: TaskState, { neverBegan }: EventOf<'attempt.ended'>['data']): boolean {
  const { life } = task;
  const attempt = life.status === 'running' ? life.attempt : undefined;
  return neverBegan === true && attempt?.isOfParent === true && beginsAttempt(task, attempt.kind);
}

/** It does nothing itself, but says what another has done. */
function isJudgement(kind: AttemptState['kind']): boolean {
  return kind === 'check' || kind === 'verify' || kind === 'integrate';
}

export type Folders = { readonly [Type in EventType]: (state: RunState, event: EventOf<Type>) => void };

const folders: Folders = {
  ...turnFolders,
  ...placeFolders,
  ...uncertainFolders,
  'run.created'(state, { data }) {
    openScope(state, { owner: '', workflow: data.workflow, inputs: data.inputs });
    const { graph } = scopeAt(state, '');
    if (graph !== undefined && data.state !== undefined)
      graph.state = sealJson({ ...graph.state, ...data.state });
  },
  'run.forked': foldFork,
  'checkpoint.named'(state, { data: { name, seq = state.seq } }) {
    state.names = { ...state.names, [name]: seq };
  },
  'run.described': foldAbout,
  'limits.changed': foldLimits,
  'run.paused'(state, { data }) {
    state.phase = { status: 'paused', ...data };
    const { supersededBy } = data;
    if (supersededBy !== undefined) state.about = Object.freeze({ ...state.about, supersededBy });
  },
  'run.resumed'(state) {
    state.phase = { status: 'active' };
  },
  'run.succeeded'(state, { data }) {
    state.phase = { status: 'succeeded', ...data };
  },
  'run.failed'(state, { data }) {
    state.phase = { status: 'failed', ...data };
  },
  'run.cancelled'(state, { data }) {
    state.phase = { status: 'cancelled', ...data };
  },
  'run.delivered'(state, { data }) {
    state.delivered = data;
  },
  'lease.taken': meetDriver,
  'payloads.dropped': (state, { data }) => void (state.payloadsDroppedAt = data.at),
  'command.decided'() {},
  'drift.accepted': (state, { data }) => adoptWorkflow(state, data.workflow, data.migrated),
  'cancel.requested'(state, { task, data }) {
    if (task === undefined) state.cancelledIn = state.version;
    cancelScope(state, scopeAt(state, task ?? ''), { reason: data.reason, failFast: false });
  },
  'scope.opened'(state, { task, data }) {
    const owner = taskAt(state, task!);
    const { work } = owner.spec;
    if (work.type !== 'workflow') throw new Error(`${task} has no tasks of its own to open`);
    setLife(state, owner, { status: 'running' });
    acquire(state, owner);
    owner.startedAt = state.at;
    openScope(state, { owner: owner.address, workflow: work.workflow, inputs: data.inputs });
  },
  'state.updated'(state, { task, data }) {
    const graph = scopeAt(state, task ?? '').graph!;
    graph.state = applyPatch(graph.state, data.patch) as JsonObject;
  },
  'edge.taken'(state, { task, data }) {
    const scope = scopeAt(state, task ?? '');
    const graph = scope.graph!;
    graph.step = data.step;
    graph.ended = data.to === 'end';
    if (graph.ended) state.agenda.concluded.push(scope.owner);
    else addVisit(state, scope, data.to);
  },
  'tasks.expanded'(state, { task, data }) {
    const parent = taskAt(state, task);
    setLife(state, parent, { status: 'running' });
    parent.startedAt = state.at;
    addItems(state, parent, data.items);
  },
  'attempt.started'(state, { task: address, attempt, data }) {
    const task = taskAt(state, address);
    const { begunAt: startedAt = state.at } = data;
    noteProgress(state, task);
    if (beginsAttempt(task, data.kind)) task.attempts++;
    task.key ??= attempt;
    task.lastAttempt = attempt;
    task.startedAt ??= startedAt;
    if (data.isSpooled === true) forgetSpooled(state, address, attempt);
    if (data.slot !== undefined) takeSlot(state, task, data.slot);
    comeBack(state, task);
    if (data.kind !== 'verify' && data.kind !== 'integrate') dropProposal(state, task);
    const news = beginTurn(task, data);
    setLife(state, task, {
      status: 'running',
      attempt: { id: attempt, startedAt, ...data, ...news, driver: state.driver },
    });
    acquire(state, task);
    beginTrials(state, task);
  },
  'attempt.spawned'(state, { task: address, data }) {
    const task = taskAt(state, address);
    learnOfAttempt(state, task, { process: data.process });
    learnVersion(task, data.version);
  },
  'session.opened'(state, { task: address, data }) {
    const task = taskAt(state, address);
    const session = { agent: data.agent, id: data.session };
    task.conversation = { ...task.conversation, session };
    openAccount(state, task, data.session);
    learnVersion(task, data.version);
  },
  'transcript.added'(state, event) {
    const task = taskAt(state, event.task);
    learnOfAttempt(state, task, { upTo: event.data.upTo });
    countUsage(state, task, event);
  },
  'attempt.recovered'(state, { task, data }) {
    learnOfAttempt(state, taskAt(state, task), { recovered: data.how });
  },
  'attempt.ended'(state, { task: address, data }) {
    const task = taskAt(state, address);
    const kind = kindOf(task);
    const asks = gateOf(task.life);
    if (isForgotten(task, data)) task.attempts--;
    endTurn(task, data);
    countForBreakers(state, task, data);
    countNetworkFailure(task, data, state.at);
    vacate(state, task);
    // Of a check it counts when there is nothing more to revise; a conflict is nobody's failure.
    if (data.outcome === 'failed' && !isJudgement(kind))
      task.tally = { ...task.tally, failures: task.tally.failures + 1 };
    if (data.outcome !== 'interrupted') return;
    const { work } = task.spec;
    renewSpec(state, task);
    // What was asked stays asked: it is begun again when there is an answer. But other work has not asked it.
    if (asks === undefined || !isSame(work, task.spec.work)) state.agenda.ready.push(task);
    else openGate(state, task, asks);
    if (data.graceful !== true && data.neverBegan !== true) countInterruption(state, task);
  },
  'task.succeeded'(state, { task, data }) {
    settleTask(state, taskAt(state, task), { status: 'succeeded', ...data });
  },
  'task.failed'(state, { task, data }) {
    settleTask(state, taskAt(state, task), { status: 'failed', ...data });
  },
  'task.delayed'(state, { task: address, data }) {
    const task = taskAt(state, address);
    dropProposal(state, renewSpec(state, task));
    const { until, reason } = data;
    delayTask(state, task, { status: 'delayed', until, reason, waitsFor: dueTime(data) });
  },
  'task.held'(state, { task: address, data }) {
    const { reason, actions } = data;
    const task = renewSpec(state, taskAt(state, address));
    holdTask(state, task, { status: 'held', reason, actions, waitsFor: personsTurn(data) });
  },
  'task.released'(state, { task: address }) {
    const task = taskAt(state, address);
    if (isLifted(task.life)) task.overspends = true;
    if (task.life.status === 'held') forgetUnfit(state, task, nextKind(state, task));
    const { sameness: _, networkFailures: __, ...tally } = task.tally;
    task.tally = { ...tally, interruptions: 0 };
    if (task.life.status === 'delayed') hastenTrial(state, task);
    // Else it only goes on by itself, after the end of an attempt.
    if (task.life.status === 'delayed' || task.life.status === 'held') {
      noteProgress(state, task);
      askAgain(state, task);
    }
    decideAnew(state, task);
  },
  'budget.raised'(state, event) {
    foldRaise(state, event);
  },
  'gate.opened'(state, { task, data }) {
    openGate(state, taskAt(state, task), data);
  },
  'gate.decided'(state, { task, data }) {
    decideGate(state, taskAt(state, task), data);
  },
  'tasks.reopened'(state, { data }) {
    reopenTasks(state, data);
  },
  'breaker.opened'(state, { data }) {
    openBreaker(state, data);
  },
  'breaker.closed'(state, { data }) {
    closeBreaker(state, data.resource);
  },
  'clock.jumped'(state, { data }) {
    shiftTimers(state, data.ms);
  },
  'task.skipped'(state, { task: address, data }) {
    const task = taskAt(state, address);
    noteProgress(state, task);
    settleTask(state, task, { status: 'skipped', ...data });
  },
  'task.cancelled'(state, { task, data }) {
    settleTask(state, taskAt(state, task), { status: 'cancelled', ...data });
  },
};
