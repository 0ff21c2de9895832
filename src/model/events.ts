import type { eventShapes } from './event-shapes.ts';
import type { Shaped } from './shape.ts';

/** One fact in a commit. Before it is committed it is a decision: something that should happen next. */
export type Event = Shaped<(typeof eventShapes)[number]>;
export type EventType = Event['type'];
export type EventOf<Type extends EventType> = Extract<Event, { type: Type }>;

/** Where a run was started: the folder, the file of its workflow, the repository. */
export type Origin = NonNullable<EventOf<'run.created'>['data']['origin']>;

/** A fact of the journal with its place in it. The same shape everywhere: observers, `run.events()`, JSON lines. */
export type RunEvent = Event & {
  readonly run: string;
  readonly seq: number;
  readonly at: number;
  /** Names of values that are missing in `data` because they were dropped after success: see `preserve`. */
  readonly dropped?: readonly string[];
};
