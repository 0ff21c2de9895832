import { z } from 'zod';
import { isPlainObject, type Json } from '../base/index.ts';

/**
 * Every fact a journal can hold. `task` is the address of the task concerned (for what happens to a nested scope, of
 * the task that owns it). Types are inferred from here (`events.ts`), so the schema is the only definition.
 *
 * Loaded lazily: import it by `loadEventSchema`.
 */
/** Journals are JSON text whose hash has been verified: that a value is JSON need not be looked at again, leaf by leaf. */
const json = z.unknown().pipe(z.custom<Json>());
/** Taken as it is: zod's own records are copies, and lose a key called `__proto__`. */
const jsonObject = z.custom<Record<string, Json>>(isPlainObject);
const failure = z.object({
  code: z.string(),
  message: z.string(),
  stack: z.string().optional(),
  retryable: z.boolean(),
  class: z.enum(['transient', 'permanent', 'unknown']).optional(),
  exit: z.number().optional(),
});
/** A process for good: see `ProcessIdentity`. */
const identity = z.object({
  host: z.string(),
  bootId: z.string(),
  pidNamespace: z.string(),
  pid: z.number(),
  startTime: z.string(),
});
/** With which agent an attempt is made, and in which conversation. `rung`: how it goes on after an interruption. */
const agentStart = z.object({
  name: z.string(),
  session: z.string().optional(),
  how: z.enum(['new', 'continue', 'fork']),
  of: z.string().optional(),
  rung: z.enum(['session', 'transcript', 'restart']).optional(),
});
/** Where a run was started: its folder, and what to compare it with when it goes on. */
const origin = z.object({
  directory: z.string(),
  file: z.string().optional(),
  /** The file of the store that the run belongs to; absent: its store is no file. */
  store: z.string().optional(),
  /** Only a part of the workflow in the file. */
  only: z.array(z.string()).optional(),
  until: z.array(z.string()).optional(),
  skip: z.array(z.string()).optional(),
  /** Where tasks work that do not say it, nor their workflow: as it was configured then. */
  workspace: z.object({ mode: z.enum(['worktree', 'directory', 'shared']) }).optional(),
  /** The git repository around the folder: its root, the commit the run begins from, and the way from there to the folder. */
  repository: z
    .object({ root: z.string(), commonDir: z.string(), base: z.string(), prefix: z.string() })
    .optional(),
});
const patch = z.array(
  z.union([
    z.object({ op: z.literal('set'), path: z.array(z.union([z.string(), z.number()])), value: json }),
    z.object({ op: z.literal('delete'), path: z.array(z.union([z.string(), z.number()])) }),
    z.object({
      op: z.literal('splice'),
      path: z.array(z.union([z.string(), z.number()])),
      at: z.number(),
      remove: z.number(),
      items: z.array(json),
    }),
  ]),
);
/** The frozen definition was validated when it was made, and its hash is in it. */
const workflow = z.looseObject({ format: z.literal(1), name: z.string(), hash: z.string() });

const of = <Type extends string, Data extends z.ZodRawShape>(type: Type, data: Data) =>
  z.object({ type: z.literal(type), data: z.object(data) });
const ofTask = <Type extends string, Data extends z.ZodRawShape>(type: Type, data: Data) =>
  z.object({ type: z.literal(type), task: z.string(), data: z.object(data) });
const ofAttempt = <Type extends string, Data extends z.ZodRawShape>(type: Type, data: Data) =>
  z.object({ type: z.literal(type), task: z.string(), attempt: z.string(), data: z.object(data) });
/** Concerns the run itself when `task` is absent, else the scope which that task owns. */
const ofScope = <Type extends string, Data extends z.ZodRawShape>(type: Type, data: Data) =>
  z.object({ type: z.literal(type), task: z.string().optional(), data: z.object(data) });

export const eventSchema = z.discriminatedUnion('type', [
  of('run.created', {
    workflow,
    inputs: jsonObject,
    state: jsonObject.optional(),
    origin: origin.optional(),
  }),
  of('run.paused', { reason: z.string().optional() }),
  of('run.resumed', {}),
  of('run.succeeded', { outputs: json.optional() }),
  of('run.failed', { failure }),
  of('run.cancelled', { reason: z.string() }),
  of('run.repaired', {
    lostFrom: z.number(),
    lostTo: z.number(),
    held: z.array(z.string()),
    reason: z.string(),
  }),
  of('lease.taken', { epoch: z.number(), host: z.string(), pid: z.number(), instance: z.string() }),
  of('drift.accepted', { workflow }),
  of('command.decided', {
    id: z.string(),
    command: z.string(),
    accepted: z.boolean(),
    answer: z.string(),
  }),
  ofScope('cancel.requested', { reason: z.string() }),
  ofScope('scope.opened', { inputs: jsonObject }),
  ofScope('state.updated', { patch }),
  ofScope('edge.taken', { from: z.string().nullable(), to: z.string(), step: z.number() }),
  ofTask('tasks.expanded', { items: z.array(z.object({ key: z.string(), item: json })) }),
  /**
   * `kind`: it makes the workspace usable, checks the work of an agent, lets it revise what was found, brings the result to
   * that of the others, or checks what came of that; absent: it does the work. `slot`: the place of its pool that it takes.
   */
  ofAttempt('attempt.started', {
    number: z.number(),
    kind: z.enum(['setup', 'check', 'revision', 'integrate', 'verify']).optional(),
    agent: agentStart.optional(),
    slot: z.number().optional(),
  }),
  /** The agent's own conversation, by its own id. */
  ofAttempt('session.opened', {
    agent: z.string(),
    session: z.string(),
    model: z.string().optional(),
    version: z.string().optional(),
  }),
  /** What was read of the agent's stream, up to a byte of the spool: each line once. */
  ofAttempt('transcript.added', {
    upTo: z.number(),
    entries: z.array(json),
    /** Of the local calendar, if the entries tell what was used. */
    day: z.string().optional(),
  }),
  /** An outside process exists; what it writes is in the spool under the attempt's id. */
  ofAttempt('attempt.spawned', { process: identity }),
  /** A new driver found it alive (`adopted`), or ended with its result in the spool (`harvested`). */
  ofAttempt('attempt.recovered', { how: z.enum(['adopted', 'harvested']) }),
  ofAttempt('attempt.ended', {
    outcome: z.enum(['succeeded', 'failed', 'delayed', 'cancelled', 'interrupted', 'asked']),
    reason: z.string().optional(),
    graceful: z.boolean().optional(),
    neverBegan: z.boolean().optional(),
    /** The agent does not know the session any more. */
    sessionLost: z.boolean().optional(),
    /** Where an agent was interrupted, for people. */
    boundary: z.string().optional(),
    /** Of the failure it ended with, also if that was no reason to fail the task. */
    class: z.enum(['transient', 'permanent', 'unknown']).optional(),
    /** The failure and what it found, in short: the same again means that trying did not help. */
    sameness: z.string().optional(),
  }),
  /** The place where a task works: found again by this, whatever happens. */
  ofTask('workspace.prepared', {
    kind: z.enum(['directory', 'remote']).optional(),
    path: z.string(),
    token: z.string(),
    branch: z.string().optional(),
    base: z.string().optional(),
    remote: z.string().optional(),
    ports: z.object({ first: z.number(), count: z.number() }).optional(),
  }),
  /** The files of an attempt are kept as they were then. */
  ofAttempt('workspace.saved', {
    commit: z.string(),
    label: z.string(),
    /** The attempt has ended: nothing comes after it. */
    isLast: z.boolean().optional(),
  }),
  /** A person wants something done with the place: the next attempt does it first. */
  ofTask('workspace.ordered', {
    id: z.string(),
    action: z.enum(['recreate', 'restore', 'adopt', 'discard']),
    from: z.string().optional(),
  }),
  /** Files are kept for those who need the task. */
  ofTask('artifacts.kept', { paths: z.array(z.string()), bytes: z.number() }),
  /** It is usable: files were copied, and commands run. */
  ofTask('workspace.equipped', {}),
  /** The result of the task, and the commit of the run's branch that holds it. */
  ofTask('workspace.integrated', { result: z.string(), commit: z.string() }),
  /** What a task made was merged with what others made (`members`: along with what these made), and is to be checked. */
  ofTask('merge.proposed', {
    result: z.string(),
    commit: z.string(),
    onto: z.string(),
    members: z.array(z.string()),
  }),
  /** That has passed the check. */
  ofTask('merge.verified', {}),
  /** It has not, with so many others: fewer are tried. */
  ofTask('merge.rejected', { members: z.array(z.string()), report: z.string(), most: z.number() }),
  /** Refs that are not Piton's were moved from within the place of a task. */
  ofTask('refs.changed', {
    refs: z.array(z.object({ ref: z.string(), before: z.string().optional(), after: z.string().optional() })),
  }),
  /** What the run made was handed over. */
  of('run.delivered', {
    how: z.enum(['merge', 'pull-request']),
    into: z.string(),
    commit: z.string(),
    url: z.string().optional(),
  }),
  /** What a task made does not fit to what others made. The agent is to revise it, for the so-manieth time; 0: a person is. */
  ofTask('conflict.found', { files: z.array(z.string()), report: z.string(), revision: z.number() }),
  /** The place is gone, and why nothing is lost by that; or it was kept, and why. */
  ofTask('workspace.cleaned', {
    how: z.enum(['removed', 'archived', 'kept']),
    reason: z.string(),
    ref: z.string().optional(),
  }),
  /** It was not as it should be, and what was done about it. */
  ofTask('workspace.recovered', {
    found: z.string(),
    how: z.enum(['recreated', 'restored', 'discarded', 'held']),
    from: z.string().optional(),
  }),
  /** The work is done; a check, or bringing it to that of others, is still to come. */
  ofTask('work.finished', { output: json.optional() }),
  ofTask('check.passed', {}),
  /** The agent is to revise its work, for the so-manieth time. */
  ofTask('check.failed', { report: z.string(), revision: z.number() }),
  /** A person has something to say to the agent. `now`: at once. */
  ofTask('message.added', { text: z.string(), now: z.boolean().optional() }),
  /** A person has the session: nobody else may go on in it until it is given back. */
  ofTask('session.lent', {
    session: z.string(),
    from: z.number(),
    host: z.string(),
    pid: z.number(),
    token: z.string(),
  }),
  /** `abandoned`: whoever had it is gone without a word. */
  ofTask('session.returned', {
    session: z.string(),
    from: z.number(),
    to: z.number(),
    abandoned: z.boolean().optional(),
  }),
  ofTask('task.succeeded', { output: json.optional() }),
  ofTask('task.failed', { failure }),
  /** `resource`: it waits for the breaker of this one, and not longer than that is open. `budget`: for another day. */
  ofTask('task.delayed', {
    until: z.number(),
    reason: z.string(),
    resource: z.string().optional(),
    budget: z.boolean().optional(),
  }),
  /** `budget`: it would use up more than it may. `lent`: a person has this session. */
  ofTask('task.held', {
    reason: z.string(),
    actions: z.array(z.string()),
    budget: z.boolean().optional(),
    lent: z.string().optional(),
  }),
  /** A person is asked; the task is held until the gate is decided, once. */
  ofTask('gate.opened', {
    gate: z.string(),
    text: z.string(),
    /** The tool call that an agent asks for. */
    call: z.object({ tool: z.string(), input: json }).optional(),
  }),
  ofTask('gate.decided', { gate: z.string(), approved: z.boolean(), comment: z.string().optional() }),
  /**
   * `tasks` are to be done again: they are as they were before their first attempt, and what they consisted of is gone.
   * `continued`: what had settled, and goes on because something in it is done again.
   */
  of('tasks.reopened', {
    tasks: z.array(z.string()),
    continued: z.array(z.string()),
    /** Those of `tasks` that go on in their conversation with an agent. */
    inSession: z.array(z.string()).optional(),
    reason: z.string(),
  }),
  /** Tasks that use the resource wait. `until`: then one of them may try. */
  of('breaker.opened', { resource: z.string(), until: z.number(), reason: z.string() }),
  of('breaker.closed', { resource: z.string() }),
  /** The wall clock went otherwise than time: the machine slept, or the clock was set. */
  of('clock.jumped', { ms: z.number() }),
  ofTask('task.released', {}),
  ofTask('task.skipped', { reason: z.string() }),
  ofTask('task.cancelled', { reason: z.string() }),
]);
