import type { JsonObject } from '../base/index.ts';
import type { Sender } from './commands.ts';
import { definition } from './definition-shape.ts';
import type { Failure } from './outcome.ts';
import type { Patch } from './patch.ts';
import {
  boolean,
  json,
  list,
  number,
  object,
  objectWith,
  oneOf,
  optional,
  text,
  textOrNull,
  textOrNumber,
  variants,
  type Fields,
  type Shape,
} from './shape.ts';

/**
 * Every fact a journal can hold. `task` is the address of the task concerned (for what happens to a nested scope, of
 * the task that owns it). Types are inferred from here (`events.ts`), so this is the only definition.
 * A new field is optional, because journals lack it; `node scripts/write-journal-shapes.ts` then says whether the version is raised.
 */
const failure: Shape<Failure> = object({
  code: text,
  message: text,
  stack: optional(text),
  retryable: boolean,
  class: optional(oneOf('transient', 'permanent', 'unknown')),
  network: optional(boolean),
  exit: optional(number),
});
/** A process for good: see `ProcessIdentity`. */
const identity = object({
  host: text,
  bootId: text,
  pidNamespace: text,
  pid: number,
  startTime: text,
});
/** With which agent an attempt is made, and in which conversation. `rung`: how it goes on after an interruption. */
const agentStart = object({
  name: text,
  session: optional(text),
  how: oneOf('new', 'continue', 'fork'),
  of: optional(text),
  rung: optional(oneOf('session', 'transcript', 'restart')),
});
/** Who decided it; absent in what was decided before this was written down. */
const sender: Shape<Sender> = object({
  user: text,
  host: text,
  pid: number,
  terminal: optional(text),
  attempt: optional(text),
});
/** Where a run was started: its folder, and what to compare it with when it goes on. */
const origin = object({
  directory: text,
  file: optional(text),
  /** The file of the store that the run belongs to; absent: its store is no file. */
  store: optional(text),
  /** Only a part of the workflow in the file. */
  only: optional(list(text)),
  until: optional(list(text)),
  skip: optional(list(text)),
  /** Where tasks work that do not say it, nor their workflow: as it was configured then. */
  workspace: optional(object({ mode: oneOf('worktree', 'directory', 'shared') })),
  /** The git repository around the folder: its root, the commit the run begins from, and the way from there to the folder. */
  repository: optional(object({ root: text, commonDir: text, base: text, prefix: text })),
});
const path = list(textOrNumber);
const patch: Shape<Patch> = list(
  variants('op', {
    set: object({ op: oneOf('set'), path, value: json }),
    delete: object({ op: oneOf('delete'), path }),
    splice: object({ op: oneOf('splice'), path, at: number, remove: number, items: list(json) }),
  }),
);
const jsonObject = objectWith<JsonObject>();

const refChange: Shape<{
  readonly ref: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}> = object({ ref: text, before: optional(text), after: optional(text) });

/**
 * `kind`: it makes the workspace usable, checks the work of an agent, lets it revise what was found, brings the result to
 * that of the others, or checks what came of that; absent: it does the work. `slot`: the place of its pool that it takes.
 */
const started = {
  number: number,
  kind: optional(oneOf('setup', 'check', 'revision', 'integrate', 'verify')),
  agent: optional(agentStart),
  slot: optional(number),
};
const prepared = {
  kind: optional(oneOf('directory', 'remote')),
  path: text,
  token: text,
  branch: optional(text),
  base: optional(text),
  remote: optional(text),
  ports: optional(object({ first: number, count: number })),
};
/** An attempt that the journal has lost, as its spool tells of it. */
export const spooledAttempt = object({
  task: text,
  attempt: text,
  /** When it was begun. */
  at: optional(number),
  started: object(started),
  prepared: optional(object(prepared)),
});

const of = <const Type extends string, Data extends Fields>(type: Type, data: Data) => ({
  type,
  ...object({ type: oneOf(type), data: object(data) }),
});
const ofTask = <const Type extends string, Data extends Fields>(type: Type, data: Data) => ({
  type,
  ...object({ type: oneOf(type), task: text, data: object(data) }),
});
const ofAttempt = <const Type extends string, Data extends Fields>(type: Type, data: Data) => ({
  type,
  ...object({ type: oneOf(type), task: text, attempt: text, data: object(data) }),
});
/** Concerns the run itself when `task` is absent, else the scope which that task owns. */
const ofScope = <const Type extends string, Data extends Fields>(type: Type, data: Data) => ({
  type,
  ...object({ type: oneOf(type), task: optional(text), data: object(data) }),
});

export const eventShapes = [
  of('run.created', {
    workflow: definition,
    inputs: jsonObject,
    state: optional(jsonObject),
    origin: optional(origin),
    /** What tasks are given of Piton's environment: a base, and what they ask for. Absent, in runs of older versions: all of it. */
    environment: optional(oneOf('base')),
  }),
  of('run.paused', { reason: optional(text) }),
  of('run.resumed', {}),
  of('run.succeeded', { outputs: optional(json) }),
  of('run.failed', { failure }),
  of('run.cancelled', { reason: text }),
  of('run.repaired', {
    lostFrom: number,
    lostTo: number,
    held: list(text),
    reason: text,
    /** What the journal had lost: not begun again, but taken up when it is their turn. */
    spooled: optional(list(spooledAttempt)),
    /** Attempts that cannot be taken up: it is not known how they began. */
    unclear: optional(list(text)),
    /** What was written down of the journal outside of the store, and does not count any more. */
    head: optional(object({ seq: number, hash: text })),
  }),
  of('lease.taken', {
    epoch: number,
    host: text,
    pid: number,
    instance: text,
    /** Who took it, for good. */
    process: optional(identity),
  }),
  of('drift.accepted', { workflow: definition }),
  of('command.decided', {
    id: text,
    command: text,
    accepted: boolean,
    answer: text,
    by: optional(sender),
  }),
  ofScope('cancel.requested', { reason: text }),
  ofScope('scope.opened', { inputs: jsonObject }),
  ofScope('state.updated', { patch }),
  ofScope('edge.taken', { from: textOrNull, to: text, step: number }),
  ofTask('tasks.expanded', { items: list(object({ key: text, item: json })) }),
  /** `isSpooled`: it was begun once (`begunAt`), which only the spool remembers, and is taken up from there. */
  ofAttempt('attempt.started', { ...started, isSpooled: optional(boolean), begunAt: optional(number) }),
  /** The agent's own conversation, by its own id. */
  ofAttempt('session.opened', {
    agent: text,
    session: text,
    model: optional(text),
    version: optional(text),
  }),
  /** What was read of the agent's stream, up to a byte of the spool: each line once. */
  ofAttempt('transcript.added', {
    upTo: number,
    /** Absent: not asked for, or dropped since. Always a blob, which only those read who want the words. */
    entries: optional(list(json)),
    /** Those of them that tell what was used: the fold needs no others. Absent in journals of older versions. */
    used: optional(list(json)),
    /** The last message or tool call among them, in one line: see `lastWord`. */
    last: optional(text),
    /** Of the local calendar, if the entries tell what was used. */
    day: optional(text),
  }),
  /** An outside process exists; what it writes is in the spool under the attempt's id. */
  ofAttempt('attempt.spawned', {
    process: identity,
    /** Of an agent's program, as it tells it. */
    version: optional(text),
    /** By what it is contained, or why it is not though it should be; absent: it is not to be. */
    sandbox: optional(text),
  }),
  /** A new driver found it alive (`adopted`), or ended with its result in the spool (`harvested`). */
  ofAttempt('attempt.recovered', { how: oneOf('adopted', 'harvested') }),
  ofAttempt('attempt.ended', {
    outcome: oneOf('succeeded', 'failed', 'delayed', 'cancelled', 'interrupted', 'asked'),
    reason: optional(text),
    graceful: optional(boolean),
    neverBegan: optional(boolean),
    /** The agent does not know the session any more. */
    sessionLost: optional(boolean),
    /** Not all of its processes could be ended. */
    mayStillRun: optional(boolean),
    /** Where an agent was interrupted, for people. */
    boundary: optional(text),
    /** Of the failure it ended with, also if that was no reason to fail the task. */
    class: optional(oneOf('transient', 'permanent', 'unknown')),
    /** The network failed, not the task. */
    network: optional(boolean),
    /** The failure and what it found, in short: the same again means that trying did not help. */
    sameness: optional(text),
  }),
  /** The place where a task works: found again by this, whatever happens. */
  ofTask('workspace.prepared', prepared),
  /** The files of an attempt are kept as they were then. */
  ofAttempt('workspace.saved', {
    commit: text,
    label: text,
    /** The attempt has ended: nothing comes after it. */
    isLast: optional(boolean),
  }),
  /** A person wants something done with the place: the next attempt does it first. */
  ofTask('workspace.ordered', {
    id: text,
    action: oneOf('recreate', 'restore', 'adopt', 'discard'),
    from: optional(text),
  }),
  /** Files are kept for those who need the task. */
  ofTask('artifacts.kept', { paths: list(text), bytes: number }),
  /** It is usable: files were copied, and commands run. */
  ofTask('workspace.equipped', {}),
  /** The result of the task, and the commit of the run's branch that holds it. */
  ofTask('workspace.integrated', { result: text, commit: text }),
  /** What a task made was merged with what others made (`members`: along with what these made), and is to be checked. */
  ofTask('merge.proposed', {
    result: text,
    commit: text,
    onto: text,
    members: list(text),
  }),
  /** That has passed the check. */
  ofTask('merge.verified', {}),
  /** It has not, with so many others: fewer are tried. */
  ofTask('merge.rejected', { members: list(text), report: text, most: number }),
  /** Refs that are not Piton's were moved from within the place of a task. */
  ofTask('refs.changed', {
    refs: list(refChange),
  }),
  /** What the run made was handed over. */
  of('run.delivered', {
    how: oneOf('merge', 'pull-request'),
    into: text,
    commit: text,
    url: optional(text),
    /** Absent: a task of the run did it. */
    by: optional(sender),
  }),
  /** What a task made conflicts with what others made. The agent is to revise it, for the n-th time; 0: a person is. */
  ofTask('conflict.found', { files: list(text), report: text, revision: number }),
  /** The place is gone, and why nothing is lost by that; or it was kept, and why. */
  ofTask('workspace.cleaned', {
    how: oneOf('removed', 'archived', 'kept'),
    reason: text,
    ref: optional(text),
  }),
  /** It was not as it should be, and what was done about it. */
  ofTask('workspace.recovered', {
    found: text,
    how: oneOf('recreated', 'restored', 'discarded', 'held'),
    from: optional(text),
  }),
  /** The work is done; a check, or bringing it to that of others, is still to come. */
  ofTask('work.finished', { output: optional(json) }),
  ofTask('check.passed', {}),
  /** The agent is to revise its work, for the n-th time. */
  ofTask('check.failed', { report: text, revision: number }),
  /** A person has something to say to the agent. `now`: at once. */
  ofTask('message.added', { text: text, now: optional(boolean) }),
  /** A person has the session: nobody else may go on in it until it is given back. */
  ofTask('session.lent', {
    session: text,
    from: number,
    host: text,
    pid: number,
    token: text,
  }),
  /** `abandoned`: whoever had it is gone without a word. */
  ofTask('session.returned', {
    session: text,
    from: number,
    to: number,
    abandoned: optional(boolean),
  }),
  ofTask('task.succeeded', { output: optional(json) }),
  ofTask('task.failed', { failure }),
  /** `resource`: it waits for the breaker of this one, and not longer than that is open. `budget`: for another day. */
  ofTask('task.delayed', {
    until: number,
    reason: text,
    resource: optional(text),
    budget: optional(boolean),
    /** Whose budget is used up. */
    day: optional(text),
  }),
  /** A person allows more, by so much: for the task, the whole run, or all it does on a day. */
  ofTask('budget.raised', {
    of: oneOf('task', 'run', 'day'),
    usd: optional(number),
    tokens: optional(number),
    day: optional(text),
    by: optional(text),
    comment: optional(text),
  }),
  /** `budget`: it would use up more than it may. `lent`: a person has this session. */
  ofTask('task.held', {
    reason: text,
    actions: list(text),
    budget: optional(boolean),
    lent: optional(text),
  }),
  /** A person is asked; the task is held until the gate is decided, once. */
  ofTask('gate.opened', {
    gate: text,
    text: text,
    /** The tool call that an agent asks for. */
    call: optional(object({ tool: text, input: json })),
  }),
  ofTask('gate.decided', { gate: text, approved: boolean, comment: optional(text), by: optional(sender) }),
  /**
   * `tasks` are to be done again: they are as they were before their first attempt, and what they consisted of is gone.
   * `continued`: what had settled, and goes on because something in it is done again.
   */
  of('tasks.reopened', {
    tasks: list(text),
    continued: list(text),
    /** Those of `tasks` that go on in their conversation with an agent. */
    inSession: optional(list(text)),
    reason: text,
    by: optional(sender),
  }),
  /** Tasks that use the resource wait. `until`: then one of them may try. `network`: another agent is preferred, but nobody waits. */
  of('breaker.opened', { resource: text, until: number, reason: text, network: optional(boolean) }),
  of('breaker.closed', { resource: text }),
  /** The wall clock went otherwise than time: the machine slept, or the clock was set. */
  of('clock.jumped', { ms: number }),
  ofTask('task.released', {}),
  ofTask('task.skipped', { reason: text }),
  ofTask('task.cancelled', { reason: text }),
];
