import { eventShapes, spooledAttempt } from './event-shapes.ts';
import type { Event } from './events.ts';
import { variants, type Fault, type Shaped } from './shape.ts';

/** Every type of event that a journal can hold. */
export const eventTypes: readonly Event['type'][] = eventShapes.map(({ type }) => type);

const anyEvent = variants('type', Object.fromEntries(eventShapes.map((shape) => [shape.type, shape])));

/** An event from the text of a journal, checked and frozen: as it is but for keys that are not known, which are faults. */
export function readEvent(value: unknown): { readonly event: Event; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const event = anyEvent.read(value, faults) as Event;
  return { event, faults };
}

/** What the spool tells of an attempt; undefined if that is not what was written. */
export function readSpooledAttempt(value: unknown): Shaped<typeof spooledAttempt> | undefined {
  const faults: Fault[] = [];
  const read = spooledAttempt.read(value, faults) as Shaped<typeof spooledAttempt>;
  return faults.length === 0 ? read : undefined;
}

/** Every event as text, one in a line: see `scripts/write-journal-shapes.ts`. */
export function describeEvents(): string {
  return eventShapes.map(({ type, describe }) => `${type} ${describe()}\n`).join('');
}
