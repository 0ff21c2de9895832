import type { JsonObject } from '../base/index.ts';
import type { AboutChange, RunAbout } from './about.ts';
import type { CheckpointPolicy } from './checkpoint-policy.ts';
import type { Sender } from './commands.ts';
import { limitNames, type LimitChange } from './limits.ts';
import type { Failure } from './outcome.ts';
import { answerTypes } from './questions.ts';
import {
  boolean,
  json,
  list,
  number,
  numberOrNone,
  object,
  objectWith,
  oneOf,
  optional,
  text,
  textOrNull,
  type Shape,
} from './shape.ts';

/** What several events have in common, or one has in it. */
export const failure: Shape<Failure> = object({
  code: text,
  message: text,
  stack: optional(text),
  retryable: boolean,
  class: optional(oneOf('transient', 'permanent', 'unknown')),
  network: optional(boolean),
  exit: optional(number),
});
/** A process for good: see `ProcessIdentity`. */
export const identity = object({
  host: text,
  bootId: text,
  pidNamespace: text,
  pid: number,
  startTime: text,
});
/** A field of a definition that was changed, and what that meant for the run: see `Drift`. */
const driftVerdict = oneOf('harmless', 'settled', 'applies', 'under-way', 'structural');
export const driftChange = object({ task: optional(text), field: text, verdict: driftVerdict });
/** With which agent an attempt is made, and in which conversation. `rung`: how it goes on after an interruption. */
export const agentStart = object({
  name: text,
  session: optional(text),
  how: oneOf('new', 'continue', 'fork'),
  of: optional(text),
  rung: optional(oneOf('session', 'transcript', 'restart')),
});
/** Who decided it; absent in what was decided before this was written down. */
export const sender: Shape<Sender> = object({
  user: text,
  host: text,
  pid: number,
  terminal: optional(text),
  attempt: optional(text),
});
const policy = json as unknown as Shape<CheckpointPolicy>;
/** Where a run was started: its folder, and what to compare it with when it goes on. */
export const origin = object({
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
  /** What the configuration of then has given to the definition, which did not say it: to compare its file alike. */
  defaults: optional(object({ checkpoint: optional(policy), maxParallel: optional(number) })),
  /** The git repository around the folder: its root, the commit the run begins from, and the way from there to the folder. */
  repository: optional(object({ root: text, commonDir: text, base: text, prefix: text })),
});
/** The run whose past this one shares, and how far. */
export const forkedFrom = object({ run: text, seq: number, hash: text, at: number });
/** What an operator says of a run when it begins. */
export const about: Shape<RunAbout> = object({
  name: optional(text),
  labels: optional(objectWith<NonNullable<RunAbout['labels']>>()),
  group: optional(text),
  note: optional(text),
  metadata: optional(objectWith<JsonObject>()),
});
/** And later. */
export const aboutChange: Shape<AboutChange> = object({
  name: optional(textOrNull),
  labels: optional(objectWith<NonNullable<AboutChange['labels']>>()),
  group: optional(textOrNull),
  note: optional(textOrNull),
  metadata: optional(objectWith<JsonObject>()),
});
export const limitChange: Shape<LimitChange> = object({
  limit: oneOf(...limitNames),
  to: optional(numberOrNone),
});
/** What a person is asked for. `until`: then the default becomes the answer, or the question fails. */
export const question = object({
  type: oneOf(...answerTypes),
  choices: optional(list(json)),
  default: optional(json),
  until: optional(number),
  /** Of a function that asks: which of its questions it is. */
  key: optional(text),
});
/** A function of a task without a `version`, by a hash of its text. `since`: when another text of it was noted. */
export const drivenFunction = object({ name: text, source: text, since: optional(number) });
/** What the migrations of a new definition gave: they are not run again. `scope`: the task that owns it, '' for the run. What is absent stayed as it was. */
export const migratedScope = object({
  scope: text,
  from: number,
  to: number,
  inputs: optional(objectWith<JsonObject>()),
  state: optional(objectWith<JsonObject>()),
  outputs: optional(list(object({ task: text, output: json }))),
});
export const refChange: Shape<{
  readonly ref: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}> = object({ ref: text, before: optional(text), after: optional(text) });
