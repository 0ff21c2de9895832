import type { eventShapes } from './event-shapes.ts';
import type { Shaped } from './shape.ts';

/** One fact in a commit. Before it is committed it is a decision: something that should happen next. */
export type Event = Shaped<(typeof eventShapes)[number]>;
export type EventType = Event['type'];
export type EventOf<Type extends EventType> = Extract<Event, { type: Type }>;

export type Origin = NonNullable<EventOf<'run.created'>['data']['origin']>;
