import type { JsonObject } from '../base/index.ts';
import { definition } from './definition-shape.ts';
import {
  about,
  aboutChange,
  agentStart,
  driftChange,
  drivenFunction,
  failure,
  forkedFrom,
  identity,
  limitChange,
  migratedScope,
  origin,
  question,
  refChange,
  sender,
} from './event-parts.ts';
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

const path = list(textOrNumber);
const patch: Shape<Patch> = list(
  variants('op', {
    set: object({ op: oneOf('set'), path, value: json }),
    delete: object({ op: oneOf('delete'), path }),
    splice: object({ op: oneOf('splice'), path, at: number, remove: number, items: list(json) }),
  }),
);
const jsonObject = objectWith<JsonObject>();

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

/**
 * Every fact a journal can hold. `task` is the address of the task concerned (for what happens to a nested scope, of
 * the task that owns it). Types are inferred from here (`events.ts`), so this is the only definition.
 * A new field is optional, because journals lack it; `node scripts/write-journal-shapes.ts` then says whether the version is raised.
 */
export const eventShapes = [
  of('run.created', {
    workflow: definition,
    inputs: jsonObject,
    state: optional(jsonObject),
    origin: optional(origin),
    /** What tasks are given of Piton's environment: a base, and what they ask for. Absent, in runs of older versions: all of it. */
    environment: optional(oneOf('base')),
    /** Of a fork, which begins with a copy of another run's commits: that run, the last of these commits, and when. */
    fork: optional(forkedFrom),
    about: optional(about),
  }),
  /** The past that a fork shares ends here: what that run had under way, used and opened stays its own. */
  of('run.forked', {
    run: text,
    seq: number,
    /** It takes the place of that run, which stays as it was. */
    supersedes: optional(boolean),
    /** Sessions that went on after that commit: a copy of one would know what has not happened here. */
    outgrown: optional(list(text)),
    /** Values that a person gives instead of those recorded: inputs by name, outputs by task. */
    inputs: optional(jsonObject),
    outputs: optional(jsonObject),
    by: optional(sender),
  }),
  /** A checkpoint has a name from now on: the commit `seq`; absent: the one that this event is in. */
  of('checkpoint.named', { name: text, seq: optional(number), by: optional(sender) }),
  /** An operator says something else of the run. */
  of('run.described', { change: aboutChange, by: optional(sender) }),
  /** An operator sets limits of the run: they are in force from now on, whatever its definition says. */
  of('limits.changed', { changes: list(limitChange), by: optional(sender) }),
  /** `supersededBy`: a fork takes its place. */
  of('run.paused', { reason: optional(text), supersededBy: optional(text) }),
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
  /**
   * It came from another store. If it had not ended it may go on there: it is paused. What was under way, or had a place
   * there, is held: nobody can see from here what became of it.
   */
  of('run.imported', {
    held: list(text),
    reason: text,
    /** The machine on which it was last driven. */
    host: optional(text),
    /** Where it goes on. */
    origin: optional(origin),
  }),
  of('lease.taken', {
    epoch: number,
    host: text,
    pid: number,
    instance: text,
    /** Who took it, for good. */
    process: optional(identity),
    functions: optional(list(drivenFunction)),
  }),
  of('drift.accepted', {
    workflow: definition,
    changes: optional(list(driftChange)),
    migrated: optional(list(migratedScope)),
  }),
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
  /**
   * Big values and transcripts of all commits before this one were dropped to save room. `at`: when; the commit itself has the time
   * of the one before it, since nothing has happened in the run.
   */
  of('payloads.dropped', { at: number }),
  /** What a task made conflicts with what others made. The agent is to revise it, for the n-th time; 0: a person is. */
  ofTask('conflict.found', {
    files: list(text),
    report: text,
    revision: number,
    /** Tasks whose work was brought in since this one began: one of them has changed the same. */
    with: optional(list(text)),
  }),
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
  /** A person says that the work was done, and why: what follows a success follows. */
  ofTask('work.confirmed', { comment: text, by: optional(sender) }),
  ofTask('check.passed', {}),
  /** The agent is to revise its work, for the n-th time; 0: not any more. `isHeld`: not before a person says so. */
  ofTask('check.failed', { report: text, revision: number, isHeld: optional(boolean) }),
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
  /** A person is asked, and decides once. The task is held until then; a function that asks waits in its process, if that lives. */
  ofTask('gate.opened', {
    gate: text,
    text: text,
    /** The tool call that an agent asks for. */
    call: optional(object({ tool: text, input: json })),
    /** More is asked for than a yes. */
    question: optional(question),
  }),
  ofTask('gate.decided', {
    gate: text,
    /** false: rejected, or nobody has answered in time. */
    approved: boolean,
    /** To a question. */
    answer: optional(json),
    /** Nobody answered in time: the default is the answer, if there is one. */
    isOverdue: optional(boolean),
    comment: optional(text),
    by: optional(sender),
  }),
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
