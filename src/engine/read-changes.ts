import { hasCode } from '../base/index.ts';
import type { RunChange, Store } from '../store/index.ts';
import { Bell } from './bell.ts';
import type { Engine } from './engine.ts';

const pageSize = 200;

/** Which changes `piton.changes` tells, and until when: it goes on until `signal` aborts. */
export interface ChangesOptions {
  /** The cursor of the last change that is known. Default: from the beginning. */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

/**
 * What is changed in all runs of the store, by whomever, in the order in which it was committed: first what is there, then as it
 * comes, until the signal or the end of the store.
 */
export async function* readChanges(
  { engine, store }: { engine: Engine; store: Store },
  { after, signal = new AbortController().signal }: ChangesOptions,
): AsyncGenerator<RunChange> {
  const bell = new Bell();
  const ring = (): void => bell.ring();
  const unwatch = engine.onChange(ring);
  signal.addEventListener('abort', ring, { once: true });
  try {
    yield* follow(store, bell, { ...(after !== undefined && { after }), signal });
  } catch (thrown) {
    if (!hasCode(thrown, 'STORE_CLOSED')) throw thrown;
  } finally {
    unwatch();
    signal.removeEventListener('abort', ring);
  }
}

async function* follow(
  store: Store,
  bell: Bell,
  { after, signal }: ChangesOptions & { readonly signal: AbortSignal },
): AsyncGenerator<RunChange> {
  let cursor = after;
  while (!signal.aborted) {
    const page = await store.readChanges({ limit: pageSize, ...(cursor !== undefined && { after: cursor }) });
    for (const change of page) {
      yield change;
      ({ cursor } = change);
      if (signal.aborted) return;
    }
    if (page.length === 0) await bell.wait();
  }
}
