import { asError, hasCode, PitonError } from '../base/index.ts';
import { readHistory } from '../engine/index.ts';
import type { RunFilter, RunRecord, Store } from '../store/index.ts';
import { RunSearch, searchPattern, type SearchHit } from '../views/index.ts';
import { problemOf, type Looking } from './circumstances.ts';
import { Run } from './run.ts';
import { assertTask } from './task-of.ts';

/** Where something is searched for, and how. */
export interface SearchOptions {
  /** Only in the run with this id. */
  readonly run?: string;
  /** Only in conversations of this task, with its items, visits and tasks of its own. */
  readonly task?: string;
  /** The text is a regular expression, of RE2. */
  readonly regex?: boolean;
  /** At most so many lines. Default: 50. */
  readonly limit?: number;
  /** Gets what is wrong with a run that cannot be searched to its end, and the others are searched; without it, that is thrown. */
  onDamaged?(damage: PitonError): void;
}

/** One run after the other, each read when what was found before it has been taken: there may be many. */
export async function* searchRuns(
  looking: Looking,
  text: string,
  { regex = false, limit = 50, ...options }: SearchOptions,
): AsyncGenerator<SearchHit> {
  const pattern = await searchPattern(text, regex);
  let left = limit >= 1 ? Math.floor(limit) : 0;
  if (left === 0) return;
  for await (const { run, workflow } of runsMeant(looking, options)) {
    const search = new RunSearch({ run, workflow, pattern, task: options.task, limit: left });
    await readInto(search, { store: looking.ports.store, run, onDamaged: options.onDamaged });
    const { hits } = search;
    yield* hits;
    left -= hits.length;
    if (left === 0) return;
  }
}

/** A name that no task has is more likely misspelt than silent; of all runs it may be in another one. */
async function* runsMeant(
  { engine, ports }: Looking,
  { run, task, onDamaged }: SearchOptions,
): AsyncGenerator<RunRecord> {
  if (run === undefined) {
    yield* allRuns(ports.store, onDamaged && { onDamaged });
    return;
  }
  const record = await engine.find(run);
  if (task !== undefined) assertTask(await new Run(run, { engine, ports }).checkpoint(), task);
  yield record;
}

const pageSize = 100;

async function* allRuns(store: Store, filter: Pick<RunFilter, 'onDamaged'> = {}): AsyncGenerator<RunRecord> {
  for (let before: RunRecord | undefined; ;) {
    const page = await store.listRuns({ ...filter, limit: pageSize, ...(before && { before }) });
    yield* page;
    if (page.length < pageSize) return;
    before = page.at(-1)!;
  }
}

interface Reading {
  readonly store: Store;
  readonly run: string;
  readonly onDamaged: SearchOptions['onDamaged'];
}

/** What was read before a damage is searched all the same. */
async function readInto(search: RunSearch, { store, run, onDamaged }: Reading): Promise<void> {
  try {
    for await (const event of readHistory(store, run, { transcripts: true })) search.add(event);
  } catch (thrown) {
    // Removed meanwhile, it lacks all that was not read before.
    if ((await store.findRun(run).catch(() => thrown)) === undefined) return;
    const damage = damageOf(run, thrown);
    if (onDamaged === undefined) throw damage;
    onDamaged(damage);
  }
}

const namesRun: ReadonlySet<string> = new Set(['RUN_DAMAGED', 'RUN_TOO_NEW', 'RUN_UNREADABLE']);

/** Throws what is no damage of that run. */
function damageOf(run: string, thrown: unknown): PitonError {
  if (thrown instanceof PitonError && namesRun.has(thrown.code)) return thrown;
  const isLost = hasCode(thrown, 'BLOB_MISSING') || hasCode(thrown, 'STORE_DAMAGED');
  // A commit that is no JSON.
  if (!isLost && !(thrown instanceof SyntaxError)) throw thrown;
  const what = thrown instanceof PitonError ? problemOf(thrown).message : `${asError(thrown).message}.`;
  return new PitonError('RUN_DAMAGED', `Run ${run} cannot be searched to its end: ${what}`, {
    run,
    cause: thrown,
    remedy: `See what is damaged: piton verify ${run}.`,
  });
}
