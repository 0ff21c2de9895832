import type { z } from 'zod';
import type { Json } from '../base/index.ts';
import type { eventSchema } from './event-schemas.ts';
import type { Failure } from './outcome.ts';
import type { Workflow } from './workflow.ts';

type Parsed = z.infer<typeof eventSchema>;
/** zod infers mutable JSON and `| undefined`; the journal deals in frozen values of our own types. */
type Refined<Key, Value> = Key extends 'workflow'
  ? Workflow
  : Key extends 'failure'
    ? Failure
    : Key extends 'output' | 'outputs' | 'item'
      ? Json
      : Key extends 'inputs' | 'state'
        ? Readonly<Record<string, Json>>
        : Key extends 'patch'
          ? Patch
          : Key extends 'items'
            ? readonly { readonly key: string; readonly item: Json }[]
            : Value extends (infer Item)[]
              ? readonly Item[]
              : Value;
type Frozen<Event> = Event extends { type: infer Type; data: infer Data }
  ? { readonly [Key in keyof Event as Exclude<Key, 'data'>]: Exclude<Event[Key], undefined> } & {
      readonly type: Type;
      readonly data: { readonly [Key in keyof Data]: Refined<Key, Exclude<Data[Key], undefined>> };
    }
  : never;

/** One fact in a commit. Before it is committed it is a decision: something that should happen next. */
export type Event = Frozen<Parsed>;
export type EventType = Event['type'];
export type EventOf<Type extends EventType> = Extract<Event, { type: Type }>;

export type Origin = NonNullable<EventOf<'run.created'>['data']['origin']>;

/** A difference between two values: what a step changed, not what the state is. */
export type Patch = readonly PatchOperation[];
export type PatchPath = readonly (string | number)[];
export type PatchOperation =
  | { readonly op: 'set'; readonly path: PatchPath; readonly value: Json }
  | { readonly op: 'delete'; readonly path: PatchPath }
  | {
      readonly op: 'splice';
      readonly path: PatchPath;
      readonly at: number;
      readonly remove: number;
      readonly items: readonly Json[];
    };
