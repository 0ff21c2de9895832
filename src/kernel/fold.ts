import { sealJson, type JsonObject } from '../base/index.ts';
import type { Commit, Event, EventOf, EventType } from '../model/index.ts';
import { Agenda } from './agenda.ts';
import { noteProgress } from './beliefs.ts';
import {
  askAgain,
  beginTrials,
  closeBreaker,
  countForBreakers,
  endTrials,
  hastenTrial,
  openBreaker,
} from './breakers.ts';
import { allowCall, beginTurn, endTurn, learnVersion, rememberRefusal } from './fold-conversation.ts';
import { decideAnew, turnFolders } from './fold-turns.ts';
import { placeFolders } from './fold-places.ts';
import { delayTask, shiftTimers } from './delay-task.ts';
import { applyPatch } from './difference.ts';
import { adoptWorkflow } from './drift.ts';
import { comeBack, dropProposal, takeSlot } from './holdings.ts';
import { acquire } from './limits.ts';
import { addItems, addVisit, openScope } from './new-tasks.ts';
import { countNetworkFailure } from './network.ts';
import { foldRaise } from './budgets.ts';
import { reopenTasks } from './reopen-tasks.ts';
import { kindOf, scopeAt, taskAt, type RunState, type TaskState } from './run-state.ts';
import { countInterruption } from './in-a-row.ts';
import { forgetSpooled, forgetUnfit, rememberSpooled } from './spooled.ts';
import { nextKind } from './turns.ts';
import { countUsage, openAccount } from './usage.ts';
import { nothingUsed } from './usage-meter.ts';
import { cancelScope, holdTask, isOccupying, setLife, settleTask, vacate } from './settle-task.ts';
import { type AttemptState, dueTime, gateOf, isSettled, type Life, personsTurn } from './life.ts';

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
    createdAt: at,
    ...(created.data.origin !== undefined && { origin: created.data.origin }),
    ...(created.data.environment !== undefined && { environment: created.data.environment }),
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

/** What has settled stays so, and what consists of other tasks has no attempt of its own to hold. */
function isHoldable(life: Life): boolean {
  return !isSettled(life) && (life.status !== 'running' || life.attempt !== undefined);
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

/** It does nothing itself, but says what another has done. */
function isJudgement(kind: AttemptState['kind']): boolean {
  return kind === 'check' || kind === 'verify' || kind === 'integrate';
}

export type Folders = { readonly [Type in EventType]: (state: RunState, event: EventOf<Type>) => void };

const folders: Folders = {
  ...turnFolders,
  ...placeFolders,
  'run.created'(state, { data }) {
    openScope(state, { owner: '', workflow: data.workflow, inputs: data.inputs });
    const { graph } = scopeAt(state, '');
    if (graph !== undefined && data.state !== undefined)
      graph.state = sealJson({ ...graph.state, ...data.state });
  },
  'run.paused'(state, { data }) {
    state.phase = { status: 'paused', ...data };
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
  'run.repaired'(state, { data }) {
    state.lostTo = data.lostTo;
    state.repairedAt = state.at;
    if (data.head !== undefined) state.lostHead = data.head.hash;
    rememberSpooled(state, data.spooled ?? []);
    for (const address of data.held) {
      const task = taskAt(state, address);
      if (!isHoldable(task.life)) continue;
      if (isOccupying(task)) vacate(state, task);
      endTrials(state, task, { isVerdict: false });
      holdTask(state, task, {
        status: 'held',
        reason: data.reason,
        actions: ['retry', 'skip'],
        waitsFor: { type: 'action' },
      });
      state.agenda.doomed.push(address);
    }
  },
  'run.delivered'(state, { data }) {
    state.delivered = data;
  },
  'lease.taken': (state, { data }) => void (state.driver = data.process),
  'command.decided'() {},
  'drift.accepted'(state, { data }) {
    adoptWorkflow(state, data.workflow);
  },
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
    task.attempts = data.number;
    if (data.kind === undefined) task.tries++;
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
  'attempt.ended'(state, { task: address, attempt, data }) {
    const task = taskAt(state, address);
    const kind = kindOf(task);
    endTurn(task, attempt, data);
    countForBreakers(state, task, data);
    countNetworkFailure(task, data, state.at);
    vacate(state, task);
    // Of a check it counts when there is nothing more to revise; a conflict is nobody's failure.
    if (data.outcome === 'failed' && !isJudgement(kind))
      task.tally = { ...task.tally, failures: task.tally.failures + 1 };
    if (data.outcome !== 'interrupted') return;
    state.agenda.ready.push(task);
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
    dropProposal(state, task);
    const { until, reason } = data;
    delayTask(state, task, { status: 'delayed', until, reason, waitsFor: dueTime(data) });
  },
  'task.held'(state, { task: address, data }) {
    const { reason, actions } = data;
    holdTask(state, taskAt(state, address), { status: 'held', reason, actions, waitsFor: personsTurn(data) });
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
  'gate.opened'(state, { task, data: { text: reason, ...question } }) {
    const actions = ['approve', 'reject', 'skip'];
    const waitsFor = { type: 'gate', ...question } as const;
    holdTask(state, taskAt(state, task), { status: 'held', reason, actions, waitsFor });
  },
  'gate.decided'(state, { task: address, data }) {
    const task = taskAt(state, address);
    noteProgress(state, task);
    const call = gateOf(task.life)?.call;
    if (!data.approved) return call === undefined ? undefined : rememberRefusal(task, data.comment);
    if (call === undefined) task.approved = true;
    else allowCall(task, call);
    decideAnew(state, task);
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
