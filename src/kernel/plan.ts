import type { Event, EventOf } from '../model/index.ts';
import { agentObstacle, startOfAgent } from './agent-start.ts';
import { breakerWait, waitsForTrial } from './breakers.ts';
import { childInputs } from './child-inputs.ts';
import { decideOverdue } from './questions.ts';
import { decideEnd } from './decide-end.ts';
import { decideMove } from './decide-graph.ts';
import { decideTask } from './decide-task.ts';
import { failureOf } from './failure-of.ts';
import { fold, type Position } from './fold.ts';
import { mayStart, passOn } from './limits.ts';
import { taskAt, type RunState, type TaskState } from './run-state.ts';
import { freeSlot } from './slots.ts';
import { doomOfWaiting } from './settle-task.ts';
import { takeUpSpooled } from './spooled.ts';
import { attemptNumber, nextKind } from './turns.ts';
import { variablesOf } from './variables.ts';
import type { World } from './world.ts';
import { type AttemptState, dueAt, isSettled } from './life.ts';

/** Told of every decision right after it was folded. */
interface Following {
  folded?(event: Event): void;
}

/**
 * Everything that should happen next, in order, already folded into the state. A decision is an event that has not
 * been committed yet: the engine commits all of these at once and only then acts on them.
 */
export function plan(state: RunState, world: World, position: Position & Following): Event[] {
  const decisions: Event[] = [];
  for (let next = decide(state, world); next.length > 0; next = decide(state, world)) {
    for (const event of next) {
      fold(state, event, position);
      position.folded?.(event);
      decisions.push(event);
    }
  }
  return decisions;
}

/** The next thing that should happen. Takes from the agenda; costs the same however many tasks there are. */
function decide(state: RunState, world: World): readonly Event[] {
  if (state.phase.status !== 'active' && state.phase.status !== 'paused') return [];
  for (const [name, decision] of inTurn) {
    const queue = state.agenda[name];
    for (let entry = queue.take(); entry !== undefined; entry = queue.take()) {
      const decided = asList(decision(state, entry, world));
      if (decided.length > 0) return decided;
    }
  }
  if (state.phase.status !== 'active' || !world.mayStart) return [];
  return asList(decideStart(state, world) ?? decideStuck(state));
}

type Decided = Event | readonly Event[] | undefined;
type Decision = (state: RunState, entry: string, world: World) => Decided;

/** The queues of the agenda, the more urgent first. */
const inTurn = [
  ['doomed', decideDoom],
  ['concluded', decideEnd],
  ['moving', decideMove],
  ['undecided', decideUndecided],
] as const satisfies readonly (readonly [string, Decision])[];

function asList(decided: Decided): readonly Event[] {
  if (decided === undefined) return [];
  return Array.isArray(decided) ? decided : [decided as Event];
}

function decideDoom(state: RunState, address: string): Event | undefined {
  const task = taskAt(state, address);
  if (isSettled(task.life) || task.life.status === 'running') return undefined;
  const reason = doomOfWaiting(state, task);
  return reason === undefined ? undefined : { type: 'task.cancelled', task: address, data: { reason } };
}

function decideUndecided(state: RunState, address: string, world: World): Decided {
  const task = taskAt(state, address);
  if (task.life.status !== 'pending') return undefined;
  const decided = decideTask(state, task, world);
  if (decided === undefined) state.agenda.ready.push(task);
  return decided;
}

function decideStart(state: RunState, world: World): Decided {
  const overdue = releaseDue(state, world.now);
  if (overdue !== undefined) return overdue;
  const continued = decideContinued(state, world);
  if (continued !== undefined) return continued;
  for (let task = state.agenda.ready.pop(); task !== undefined; task = state.agenda.ready.pop()) {
    if (!isStartable(task, world.now) || waitsForTrial(state, task)) passOn(state, task);
    else if (mayStart(state, task)) return startOrPassOn(state, task, world);
  }
  return undefined;
}

/** What is in the middle of its work keeps its place before others that want it. */
function decideContinued(state: RunState, world: World): Decided {
  const { continued } = state.agenda;
  for (let address = continued.take(); address !== undefined; address = continued.take()) {
    const task = taskAt(state, address);
    if (isStartable(task, world.now) && mayStart(state, task)) return startOrPassOn(state, task, world);
  }
  return undefined;
}

function startOrPassOn(state: RunState, task: TaskState, world: World): readonly Event[] {
  const events = asList(start(state, task, world));
  const isTaken = events.some(({ type }) => type === 'attempt.started' || type === 'scope.opened');
  if (!isTaken) passOn(state, task);
  return events;
}

/** Those that were delayed are ready; gives the decision about the first question that nobody has answered in time. */
function releaseDue(state: RunState, now: number): Event | undefined {
  const { delayed, ready } = state.agenda;
  for (let next = delayed.peek(); next !== undefined && next.until <= now; next = delayed.peek()) {
    delayed.pop();
    const task = taskAt(state, next.address);
    const overdue = decideOverdue(task, now);
    if (overdue !== undefined) return overdue;
    ready.push(task);
  }
  return undefined;
}

function isStartable({ life, unmet }: TaskState, now: number): boolean {
  return life.status === 'pending' ? unmet === 0 : life.status === 'delayed' && life.until <= now;
}

function start(state: RunState, task: TaskState, world: World): Event | readonly Event[] {
  const doom = doomOfWaiting(state, task);
  if (doom !== undefined) return { type: 'task.cancelled', task: task.address, data: { reason: doom } };
  const wait = breakerWait(state, task, world.now);
  if (wait !== undefined) return { type: 'task.delayed', task: task.address, data: wait };
  const locked = lockWait(task, world);
  if (locked !== undefined) return { type: 'task.delayed', task: task.address, data: locked };
  if (task.spec.work.type === 'workflow') return open(state, task, world);
  const kind = nextKind(state, task);
  const spooled = takeUpSpooled(state, task, { kind, now: world.now });
  if (spooled !== undefined) return spooled;
  const isForAgent = task.spec.work.type === 'agent' && (kind === undefined || kind === 'revision');
  if (!isForAgent) return startAttempt(state, task, { world, kind });
  return agentObstacle(state, task, world) ?? startAttempt(state, task, { world, kind, isForAgent });
}

/** Looked at again after so long. */
const lockWaitMs = 5_000;

function lockWait({ spec }: TaskState, world: World): { until: number; reason: string } | undefined {
  for (const lock of spec.repositoryLocks ?? []) {
    const holder = world.lockedBy(lock);
    if (holder !== undefined)
      return { until: world.now + lockWaitMs, reason: `${lock} is locked by ${holder}` };
  }
  return undefined;
}

interface Starting {
  readonly world: World;
  readonly kind: AttemptState['kind'];
  readonly isForAgent?: boolean;
}

function startAttempt(
  state: RunState,
  task: TaskState,
  { world, kind, isForAgent = false }: Starting,
): Event {
  const { address } = task;
  const number = attemptNumber(task, kind);
  const started = (data: EventOf<'attempt.started'>['data']): Event => ({
    type: 'attempt.started',
    task: address,
    attempt: world.mint(),
    data,
  });
  const slot = freeSlot(state, task);
  const data = { number, ...(kind !== undefined && { kind }), ...(slot !== undefined && { slot }) };
  if (!isForAgent) return started(data);
  try {
    return started({ ...data, agent: startOfAgent(state, task, world) });
  } catch (thrown) {
    return { type: 'task.failed', task: address, data: { failure: failureOf(thrown, world) } };
  }
}

function open(state: RunState, task: TaskState, world: World): Event {
  const { work, name } = task.spec;
  if (work.type !== 'workflow') throw new Error(`${task.address} has no tasks of its own to open`);
  try {
    const given = work.with === undefined ? {} : world.evaluator.render(work.with, variablesOf(state, task));
    return {
      type: 'scope.opened',
      task: task.address,
      data: { inputs: childInputs(name, work.workflow, given) },
    };
  } catch (thrown) {
    return { type: 'task.failed', task: task.address, data: { failure: failureOf(thrown, world) } };
  }
}

/** A run must never wait with nothing to wait for. Not reached as long as the kernel is right: then it says so. */
function decideStuck(state: RunState): Event | undefined {
  const { running, held, delayed } = state.counts;
  if (running + held + delayed > 0) return undefined;
  const waiting = [...state.tasks.values()].find(({ life }) => !isSettled(life));
  const what =
    waiting === undefined ? 'every task has settled' : `${waiting.address} is ${waiting.life.status}`;
  const message = `The run has nothing to do and nothing to wait for, but has not ended (${what}). This is a defect of Piton.`;
  return { type: 'run.failed', data: { failure: { code: 'STUCK', message, retryable: false } } };
}

/** When something will be due by itself, if nothing happens before. */
export function nextWake(state: RunState): number | undefined {
  if (state.phase.status !== 'active') return undefined;
  const { delayed } = state.agenda;
  for (let next = delayed.peek(); next !== undefined; next = delayed.peek()) {
    if (dueAt(taskAt(state, next.address).life) === next.until) return next.until;
    delayed.pop();
  }
  return undefined;
}
