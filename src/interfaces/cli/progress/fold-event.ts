import { untestedText } from '../../../agents/index.ts';
import type { RunEvent } from '../../../engine/index.ts';
import { lastWordOf, type EventType, type TaskStatus, type Workflow } from '../../../model/index.ts';
import { runBranchOf } from './place-words.ts';
import {
  addLine,
  countTasks,
  isSettled,
  nothingFound,
  removeLine,
  setGroup,
  setStatus,
  type RunningAttempt,
  type RunView,
  type TaskLine,
} from './run-view.ts';
import { actionsFor } from '../../../library/index.ts';

type EventOf<Type extends EventType> = Extract<RunEvent, { type: Type }>;
type Folders = { readonly [Type in EventType]?: (view: RunView, event: EventOf<Type>) => void };

/** Takes one more event into account. What it does not know, it leaves alone: it is shown, not believed. */
export function foldEvent(view: RunView, event: RunEvent): void {
  view.at = event.at;
  view.seq = event.seq;
  view.usage.add(event);
  (folders[event.type] as ((view: RunView, event: RunEvent) => void) | undefined)?.(view, event);
}

const folders: Folders = {
  'run.created'(view, { at, data }) {
    view.createdAt = at;
    view.drivenSince = at;
    view.workflow = data.workflow;
    addTasks(view, '', data.workflow);
  },
  'lease.taken'(view, { at, data }) {
    if (data.epoch > 1) view.drivenSince = at;
    view.found = nothingFound(countTasks(view).settled);
  },
  'run.paused'(view, { data }) {
    view.status = 'paused';
    giveReason(view, data.reason);
  },
  'run.resumed'(view) {
    view.status = 'running';
    giveReason(view, undefined);
  },
  'run.succeeded'(view, { data }) {
    view.status = 'succeeded';
    if (data.outputs !== undefined) view.outputs = data.outputs;
  },
  'run.failed'(view, { data }) {
    view.status = 'failed';
    view.reason = data.failure.message;
  },
  'run.cancelled'(view, { data }) {
    view.status = 'cancelled';
    view.reason = data.reason;
  },
  'run.repaired'(view, { data }) {
    for (const address of data.held) hold(view, address, { reason: data.reason, actions: ['retry', 'skip'] });
  },
  'drift.accepted'(view, { data }) {
    view.workflow = data.workflow;
    addTasks(view, '', data.workflow);
    dropRemoved(view, data.workflow);
  },
  'scope.opened'(view, { task = '' }) {
    const line = view.lines.get(task);
    if (line?.spec.work.type !== 'workflow') return;
    becomeGroup(view, line);
    addTasks(view, `${task}.`, line.spec.work.workflow);
  },
  'edge.taken'(view, { task, data }) {
    const prefix = task === undefined ? '' : `${task}.`;
    const scope = task === undefined ? view.workflow : nestedWorkflow(view.lines.get(task));
    const spec = scope?.tasks.find(({ name }) => name === data.to);
    if (spec === undefined) return;
    const node = prefix + data.to;
    const visit = (view.visits.get(node) ?? 0) + 1;
    view.visits.set(node, visit);
    addLine(view, `${node}#${visit}`, spec);
  },
  'tasks.expanded'(view, { task, data }) {
    const line = view.lines.get(task);
    if (line === undefined) return;
    becomeGroup(view, line);
    for (const { key } of data.items) addLine(view, `${task}[${escapeKey(key)}]`, line.spec);
  },
  'attempt.started'(view, { at, task, attempt, data }) {
    const line = change(view, task, { status: 'running' });
    if (line === undefined) return;
    const isAgain = line.broken === 'interrupted';
    if (isAgain) view.found.restarted.add(task);
    const { number, kind, agent } = data;
    beginAttempt(line, {
      id: attempt,
      number,
      startedAt: data.begunAt ?? at,
      isAgain,
      ...(kind !== undefined && { kind }),
      ...(agent !== undefined && { agent: agent.name }),
    });
    view.mostRunning = Math.max(view.mostRunning, view.counts.running);
  },
  'attempt.spawned'(view, event) {
    learnVersion(view, event);
    const { sandbox } = event.data;
    if (sandbox !== undefined && !view.sandboxes.has(sandbox)) view.sandboxes.set(sandbox, event.attempt);
  },
  'session.opened': learnVersion,
  'transcript.added'(view, { task, data }) {
    const line = view.lines.get(task);
    const word = lastWordOf(data);
    if (line !== undefined && word !== undefined) line.lastWord = word;
  },
  'check.failed'(view, { task, data }) {
    const line = view.lines.get(task);
    if (line === undefined) return;
    delete line.isFitting;
    if (data.revision > 0) line.revisions = data.revision;
  },
  'conflict.found'(view, { task, data }) {
    const line = view.lines.get(task);
    if (line !== undefined && data.revision > 0) line.isFitting = true;
  },
  'workspace.prepared'(view, { data }) {
    const { branch, base } = data;
    if (branch === undefined || base === undefined) return;
    view.branch = runBranchOf(branch);
    view.base ??= base;
  },
  'workspace.integrated'(view, { data }) {
    if (data.commit !== view.base) view.hasWork = true;
  },
  'run.delivered'(view) {
    view.isDelivered = true;
  },
  'attempt.recovered'(view, { task, data }) {
    view.found[data.how].add(task);
  },
  'attempt.ended'(view, { at, task, data }) {
    const line = change(view, task, { status: 'queued' });
    if (line === undefined) return;
    const took = at - (line.attempt?.startedAt ?? at);
    line.tookMs = (line.tookMs ?? 0) + took;
    if (data.outcome === 'interrupted') {
      line.broken = data.neverBegan === true ? 'never-began' : 'interrupted';
      // It left no result.
      view.found.harvested.delete(task);
    } else {
      view.ended.count++;
      view.ended.totalMs += took;
    }
  },
  'task.succeeded'(view, { task }) {
    change(view, task, { status: 'succeeded' });
  },
  'task.failed'(view, { task, data }) {
    change(view, task, { status: 'failed', reason: data.failure.message });
  },
  'task.skipped'(view, { task, data }) {
    change(view, task, { status: 'skipped', reason: data.reason });
  },
  'task.cancelled'(view, { task, data }) {
    change(view, task, { status: 'cancelled', reason: data.reason });
  },
  'task.delayed'(view, { task, data }) {
    const line = change(view, task, { status: 'delayed', reason: data.reason });
    if (line !== undefined) line.until = data.until;
  },
  'task.held'(view, { task, data }) {
    hold(view, task, { reason: data.reason, actions: actionsFor(data) });
  },
  'gate.opened'(view, { task, data }) {
    hold(view, task, { reason: data.text, actions: ['approve', 'reject'] });
    const line = view.lines.get(task);
    if (line === undefined) return;
    delete line.asked;
    if (data.call !== undefined) line.asked = data.call;
  },
  'gate.decided'(view, { task }) {
    change(view, task, { status: 'queued' });
  },
  'budget.raised'(view, { task }) {
    change(view, task, { status: 'queued' });
  },
  'task.released'(view, { task }) {
    change(view, task, { status: 'queued' });
  },
  'tasks.reopened'(view, { data }) {
    for (const address of data.tasks) reopen(view, address);
    for (const address of data.continued) change(view, address, { status: 'running' });
    const { settledBefore } = view.found;
    view.found = { ...view.found, settledBefore: Math.min(settledBefore, countTasks(view).settled) };
    if (view.status === 'paused') return;
    view.status = 'running';
    giveReason(view, undefined);
  },
  'breaker.opened'(view, { data }) {
    view.breakers.set(data.resource, data.until);
  },
  'breaker.closed'(view, { data }) {
    view.breakers.delete(data.resource);
  },
};

type Versioned = Extract<RunEvent, { type: 'attempt.spawned' | 'session.opened' }>;

function learnVersion(view: RunView, { task, attempt, data }: Versioned): void {
  const agent = view.lines.get(task)?.attempt?.agent;
  const text = agent === undefined ? undefined : untestedText(agent, data.version);
  if (text !== undefined && !view.untested.has(text)) view.untested.set(text, attempt);
}

/** Checks and revisions belong to the work they follow: it has taken as long as all of them. */
function beginAttempt(line: TaskLine, attempt: BegunAttempt): void {
  const { kind } = attempt;
  line.attempt = { ...attempt, ...triesOf(line.attempt, attempt) };
  if (kind === undefined) delete line.tookMs;
  if (kind === undefined) delete line.revisions;
  if (kind === undefined) delete line.isFitting;
  delete line.broken;
  delete line.lastWord;
}

type Tries = Pick<RunningAttempt, 'tries' | 'lastTry'>;
type BegunAttempt = Omit<RunningAttempt, keyof Tries>;

/** Attempts are numbered whatever they are for. */
function triesOf(before: Tries | undefined, { number, kind }: BegunAttempt): Tries {
  const { tries, lastTry } = before ?? { tries: kind === undefined ? number - 1 : 0, lastTry: 0 };
  return kind === undefined ? { tries: tries + 1, lastTry: number } : { tries, lastTry };
}

function addTasks(view: RunView, prefix: string, workflow: Workflow): void {
  if (workflow.form === 'graph') return;
  for (const spec of workflow.tasks) {
    if (!view.lines.has(prefix + spec.name)) addLine(view, prefix + spec.name, spec);
  }
}

/** A definition that was accepted in the middle of a run may lack tasks that had not begun. */
function dropRemoved(view: RunView, workflow: Workflow): void {
  const known = new Set(workflow.tasks.map(({ name }) => name));
  for (const line of view.lines.values()) {
    const { address, spec, status } = line;
    if (address === spec.name && status === 'pending' && !known.has(address)) removeLine(view, line);
  }
}

function becomeGroup(view: RunView, line: TaskLine): void {
  setGroup(view, line, true);
  setStatus(view, line, 'running');
}

function nestedWorkflow(line: TaskLine | undefined): Workflow | undefined {
  return line?.spec.work.type === 'workflow' ? line.spec.work.workflow : undefined;
}

/** As the journal writes the keys of items into addresses. */
function escapeKey(key: string): string {
  return key.replaceAll(/[%[\]\p{Cc}]/gu, (character) => encodeURIComponent(character));
}

function change(
  view: RunView,
  address: string,
  { status, reason }: { readonly status: TaskStatus; readonly reason?: string },
): TaskLine | undefined {
  const line = view.lines.get(address);
  if (line === undefined) return undefined;
  setStatus(view, line, status);
  delete line.until;
  delete line.actions;
  giveReason(line, reason);
  return line;
}

function hold(
  view: RunView,
  address: string,
  { reason, actions }: { readonly reason: string; readonly actions: readonly string[] },
): void {
  const line = view.lines.get(address);
  if (line === undefined || isSettled(line.status)) return;
  change(view, address, { status: 'held', reason });
  line.actions = actions;
}

/** What came of it (items, visits, tasks of its own) will come anew. */
function reopen(view: RunView, address: string): void {
  const line = change(view, address, { status: 'pending' });
  if (line === undefined) return;
  setGroup(view, line, false);
  delete line.broken;
  delete line.revisions;
  const isInside = (other: string): boolean => ['.', '['].some((mark) => other.startsWith(address + mark));
  for (const other of view.lines.values()) if (isInside(other.address)) removeLine(view, other);
  for (const node of view.visits.keys()) if (isInside(node)) view.visits.delete(node);
}

function giveReason(target: { reason?: string }, reason: string | undefined): void {
  if (reason === undefined) delete target.reason;
  else target.reason = reason;
}
