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
  ofAttempt('attempt.started', { number: z.number() }),
  ofAttempt('attempt.ended', {
    outcome: z.enum(['succeeded', 'failed', 'delayed', 'cancelled', 'interrupted']),
    reason: z.string().optional(),
    graceful: z.boolean().optional(),
  }),
  ofTask('task.succeeded', { output: json.optional() }),
  ofTask('task.failed', { failure }),
  ofTask('task.delayed', { until: z.number(), reason: z.string() }),
  ofTask('task.held', { reason: z.string(), actions: z.array(z.string()) }),
  ofTask('task.released', {}),
  ofTask('task.skipped', { reason: z.string() }),
  ofTask('task.cancelled', { reason: z.string() }),
]);
