import { addForgottenItem, fold, type RunState } from '../kernel/index.ts';
import type { Event, RunEvent } from '../model/index.ts';

/** In place of a value that a fold looks into. All others may be missing. */
const standIns: Readonly<Record<string, unknown>> = {
  items: [],
  patch: [],
  held: [],
  spooled: [],
  tasks: [],
  continued: [],
  inSession: [],
  members: [],
  refs: [],
  files: [],
  paths: [],
  inputs: {},
  failure: { code: 'DROPPED', message: 'what it said was dropped', retryable: false },
};

/** An event that can be folded, though the run has dropped big values of it after its success. */
export function withStandIns<E extends RunEvent>(event: E): E {
  const { dropped } = event;
  if (dropped === undefined) return event;
  const missing = dropped.filter((name) => Object.hasOwn(standIns, name));
  const data = { ...event.data, ...Object.fromEntries(missing.map((name) => [name, standIns[name]])) };
  return { ...event, data };
}

/**
 * Folds events of a run that has dropped values. What cannot be known without these is left out: how it ended is known, and
 * whoever only watches must not fail for the rest.
 */
export function foldWithout(state: RunState, event: Event, position: Pick<RunEvent, 'seq' | 'at'>): void {
  if (event.type === 'drift.accepted' && event.data.workflow === undefined) return;
  if ('task' in event && event.task !== undefined) addForgottenItem(state, event.task);
  try {
    fold(state, event, position);
  } catch {
    return;
  }
}
