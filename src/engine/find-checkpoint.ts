import { nearest, writtenDuration, type PitonError } from '../base/index.ts';
import { isSettled, type RunState } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import { checkpointNotFound, pagesOf } from './chain.ts';
import { viewRun } from './load-run.ts';

/** Where in the past of a run: the number of a commit, or words: see `findCheckpoint`. */
export type Where = number | string;

interface Search {
  readonly store: Store;
  readonly run: string;
  readonly now: number;
}

/**
 * The number of the commit that is meant by: a number; a name that a person or a function gave it; `before:<task>`, in which the task
 * has not begun; the address of a task, in which it had just settled; or a time (`14:05`, `2026-11-18T14:05`, `10m` ago), the last one
 * until then. Throws `CHECKPOINT_NOT_FOUND`, with what comes nearest.
 */
export async function findCheckpoint(search: Search, where: Where): Promise<number> {
  const { state } = await viewRun(search.store, search.run);
  const text = String(where).trim();
  if (/^\d+$/.test(text)) return numbered(state, Number(text));
  if (isName(state, text)) return state.names![text]!;
  const before = /^before:(.*)$/s.exec(text)?.[1];
  if (before !== undefined) return firstOf(search, state, before);
  const settled = state.tasks.get(text);
  if (settled !== undefined) return settledIn(state, text);
  const time = timeOf(text, search.now);
  if (time !== undefined) return lastUntil(search, state, time);
  throw notFound(state, text);
}

/** For whoever wants a task, and what comes after it, once more: before it; else as `findCheckpoint`. */
export async function findBeginning(search: Search, where: Where): Promise<number> {
  const { state } = await viewRun(search.store, search.run);
  const isTask = state.tasks.has(String(where)) && !isName(state, String(where));
  return findCheckpoint(search, isTask ? `before:${where}` : where);
}

function isName({ names = {} }: RunState, text: string): boolean {
  return Object.hasOwn(names, text);
}

function numbered(state: RunState, seq: number): number {
  if (seq >= 1 && seq <= state.seq) return seq;
  throw checkpointNotFound(state, `checkpoint ${seq}`, `Its checkpoints are 1 to ${state.seq}`);
}

function settledIn(state: RunState, address: string): number {
  const task = state.tasks.get(address)!;
  if (isSettled(task.life) && task.endedIn !== undefined) return task.endedIn;
  throw checkpointNotFound(
    state,
    `checkpoint after ${address}, which has not settled`,
    `Before it began: ${state.run}@before:${address}`,
  );
}

interface RawEvent {
  readonly type: string;
  readonly task?: string;
}

/** Not that somebody has said something to it, or made its place. */
const beginning = /^(attempt\.started|scope\.opened|tasks\.expanded|gate\.opened|task\.\w+)$/;

/** The commit that starts it, or asks about it: nothing of that has been acted upon yet. */
async function firstOf({ store, run }: Search, state: RunState, address: string): Promise<number> {
  if (!state.tasks.has(address)) throw notFound(state, address, 'before:');
  for await (const page of pagesOf(store, run)) {
    for (const stored of page) {
      // Cheaper than reading all of it.
      if (!stored.body.includes(JSON.stringify(address))) continue;
      const { events } = JSON.parse(stored.body) as { readonly events: readonly RawEvent[] };
      if (events.some(({ type, task }) => task === address && beginning.test(type))) return stored.seq;
    }
  }
  throw checkpointNotFound(state, `checkpoint before ${address}, which has not begun`, 'It is yet to come');
}

async function lastUntil({ store, run }: Search, state: RunState, time: number): Promise<number> {
  let last = 0;
  for await (const page of pagesOf(store, run)) {
    for (const { seq, body } of page) if (Number(/"at":([\d.]+)/.exec(body)?.[1]) <= time) last = seq;
  }
  if (last > 0) return last;
  const first = new Date(state.createdAt).toISOString();
  throw checkpointNotFound(state, `checkpoint so early`, `It began at ${first}`);
}

/** Undefined if that is no time. */
function timeOf(text: string, now: number): number | undefined {
  const ago = writtenDuration(text);
  if (ago !== undefined) return now - ago;
  const clock = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text);
  if (clock !== null) {
    const [, hours, minutes, seconds = '59'] = clock;
    const time = new Date(now);
    time.setHours(Number(hours), Number(minutes), Number(seconds), 999);
    return time.getTime();
  }
  const parsed = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** `form`: what stood before the text, and belongs before what is meant. */
function notFound(state: RunState, text: string, form = ''): PitonError {
  const known = [...Object.keys(state.names ?? {}), ...state.tasks.keys()];
  const close = nearest(text, known);
  const all = `Use a number from 1 to ${state.seq}, a name, a task, before:<task>, or a time such as 14:05 or 10m`;
  const hint = close === undefined ? all : `Did you mean ${form}${close}? ${all}`;
  return checkpointNotFound(state, `checkpoint ${form}${text}`, hint);
}
