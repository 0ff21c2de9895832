import { hasCode } from '../base/index.ts';
import { isFinal, type Commit, type RunEvent } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { Bell } from './bell.ts';
import { createDecoder, type BlobSource } from './codec.ts';
import type { Engine } from './engine.ts';
import { mayDrop } from './verify-run.ts';

const pageSize = 200;

/** Which events `run.events` tells, and until when: it goes on until the run ends, nobody drives it, or `signal` aborts. */
export interface EventsOptions {
  /** Only later than that commit. */
  readonly after?: number;
  readonly signal?: AbortSignal;
  /** `false`: without what agents have said, which is not read then: events lack their `entries`, but not what was used, nor the last word. */
  readonly transcripts?: boolean;
}

/**
 * The events of a run from the journal, then live as they are committed, by whomever, until it ends or nobody drives it.
 * Of a run that has dropped its big values after success they come without these, and `dropped` names them.
 */
export async function* readEvents(
  { engine, store }: { engine: Engine; store: Store },
  run: string,
  { after = 0, signal = new AbortController().signal, transcripts = true }: EventsOptions,
): AsyncGenerator<RunEvent> {
  const bell = new Bell();
  const ring = (): void => bell.ring();
  const unwatch = engine.onChange(ring);
  signal.addEventListener('abort', ring, { once: true });
  try {
    yield* follow({ engine, store, bell }, run, { after, signal, transcripts });
  } catch (thrown) {
    // Closing lets go of the run like any other end of its driver.
    if (!hasCode(thrown, 'STORE_CLOSED')) throw thrown;
  } finally {
    unwatch();
    signal.removeEventListener('abort', ring);
  }
}

/** Which events `run.history` reads. */
export interface HistoryOptions {
  /** Only later than that commit. */
  readonly after?: number;
  /** The last commit that is read. Default: the last there is. */
  readonly upTo?: number;
  /** `true`: with what agents have said. */
  readonly transcripts?: boolean;
}

/** The events of a run that are in its journal; those that come after it are not waited for. */
export async function* readHistory(
  store: Store,
  run: string,
  { after = 0, upTo = Infinity, transcripts = false }: HistoryOptions,
): AsyncGenerator<RunEvent> {
  const decode = createDecoder(blobsOfRun(store, run), { transcripts });
  const head = Math.min(upTo, (await store.findRun(run))?.seq ?? 0);
  for (let seq = after; seq < head;) {
    const page = await store.readCommits(run, { after: seq, limit: Math.min(pageSize, head - seq) });
    if (page.length === 0) return;
    for (const stored of page) yield* eventsOf(await decode(stored));
    ({ seq } = page.at(-1)!);
  }
}

async function* follow(
  { engine, store, bell }: { engine: Engine; store: Store; bell: Bell },
  run: string,
  { after, signal, transcripts }: Required<EventsOptions>,
): AsyncGenerator<RunEvent> {
  const decode = createDecoder(blobsOfRun(store, run), { transcripts });
  for (let seq = after; !signal.aborted;) {
    const { head, isOver } = await standingOf(engine, run);
    for (const stored of await store.readCommits(run, { after: seq, limit: pageSize })) {
      yield* eventsOf(await decode(stored));
      ({ seq } = stored);
    }
    if (seq >= head && isOver) return;
    if (seq >= head) await bell.wait();
  }
}

/** How far the run has come, and whether nothing more is to be expected. */
async function standingOf(engine: Engine, run: string): Promise<{ head: number; isOver: boolean }> {
  // In this order: whoever lets go of a run has written its end before.
  const isDriven = await engine.isDriven(run);
  const { status, seq } = await engine.find(run);
  return { head: seq, isOver: isFinal(status) || !isDriven };
}

function blobsOfRun(store: Store, run: string): BlobSource {
  // What was dropped stays dropped: of thousands of values, the first that is missing is asked about.
  let hasDropped = false;
  return {
    async readBlob(hash) {
      try {
        return await store.readBlob(hash);
      } catch (thrown) {
        if (!hasCode(thrown, 'BLOB_MISSING')) throw thrown;
        hasDropped ||= await mayDrop(store, run);
        if (hasDropped) return undefined;
        throw thrown;
      }
    },
  };
}

function eventsOf({ run, seq, at, events }: Commit): RunEvent[] {
  return events.map((event) => ({ ...event, run, seq, at }) as RunEvent);
}
