import { hasCode } from '../base/index.ts';
import { isFinal, type Commit, type RunEvent } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { createDecoder, type BlobSource } from './codec.ts';
import type { Engine } from './engine.ts';
import { mayDrop } from './verify-run.ts';

const pageSize = 200;
const longestWaitMs = 1_000;

interface Reading {
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/**
 * The events of a run from the journal, then live as they are committed, by whomever, until it ends or nobody drives it.
 * Of a run that has dropped its big values after success they come without these, and `dropped` names them.
 */
export async function* readEvents(
  { engine, store }: { engine: Engine; store: Store },
  run: string,
  { after = 0, signal = new AbortController().signal }: Reading,
): AsyncGenerator<RunEvent> {
  const bell = new Bell();
  const ring = (): void => bell.ring();
  const unwatch = engine.onChange(ring);
  signal.addEventListener('abort', ring, { once: true });
  try {
    yield* follow({ engine, store, bell }, run, { after, signal });
  } catch (thrown) {
    // Closing lets go of the run like any other end of its driver.
    if (!hasCode(thrown, 'STORE_CLOSED')) throw thrown;
  } finally {
    unwatch();
    signal.removeEventListener('abort', ring);
  }
}

/** The events of a run up to a commit. */
export async function readHistory(store: Store, run: string, head: number): Promise<RunEvent[]> {
  const decode = createDecoder(blobsOfRun(store, run));
  const events: RunEvent[] = [];
  for (let seq = 0; seq < head;) {
    const page = await store.readCommits(run, { after: seq, limit: Math.min(pageSize, head - seq) });
    if (page.length === 0) break;
    for (const stored of page) events.push(...eventsOf(await decode(stored)));
    ({ seq } = page.at(-1)!);
  }
  return events;
}

async function* follow(
  { engine, store, bell }: { engine: Engine; store: Store; bell: Bell },
  run: string,
  { after, signal }: Required<Reading>,
): AsyncGenerator<RunEvent> {
  const decode = createDecoder(blobsOfRun(store, run));
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
  return {
    async readBlob(hash) {
      try {
        return await store.readBlob(hash);
      } catch (thrown) {
        if (hasCode(thrown, 'BLOB_MISSING') && (await mayDrop(store, run))) return undefined;
        throw thrown;
      }
    },
  };
}

function eventsOf({ run, seq, at, events }: Commit): RunEvent[] {
  return events.map((event) => ({ ...event, run, seq, at }) as RunEvent);
}

/** Remembers one ring until somebody waits for it. Rings by itself now and then, which also keeps the process alive. */
class Bell {
  #hasRung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  async wait(): Promise<void> {
    const timer = setTimeout(() => this.ring(), longestWaitMs);
    if (!this.#hasRung) await new Promise<void>((resolve) => (this.#wake = resolve));
    clearTimeout(timer);
    this.#hasRung = false;
  }
}
