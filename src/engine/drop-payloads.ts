import type { RunState } from '../kernel/index.ts';
import type { Snapshot, Store } from '../store/index.ts';
import { pagesOf, type Head } from './chain.ts';
import { blobsOf } from './codec.ts';
import { sealSnapshot } from './load-run.ts';

/**
 * After success, with `preserve: false`: a last snapshot keeps the result, and the big values of the steps on the way are
 * dropped, but for its definitions. The chain still verifies, since it holds their hashes; only going back to an earlier
 * checkpoint needs them, and events say which they lack. A crash in between costs nothing but the room.
 */
export async function dropPayloads(store: Store, state: RunState, head: Head): Promise<void> {
  await store.saveSnapshot(sealSnapshot(state, head));
  await store.dropBlobs(state.run, await definitionsOf(store, state.run));
}

/** Whether the run that this is the very last snapshot of has dropped values: others may have one too. What cannot be read may be of one. */
export function isOfDropped({ text }: Pick<Snapshot, 'text'>): boolean {
  try {
    const state = JSON.parse(text.slice(64)) as {
      readonly workflow?: { readonly checkpoint?: { readonly preserve?: boolean } };
    };
    return state.workflow?.checkpoint?.preserve !== true;
  } catch {
    return true;
  }
}

/** The one it began with, and those it went on with. */
async function definitionsOf(store: Store, run: string): Promise<string[]> {
  const kept = new Set<string>();
  for await (const page of pagesOf(store, run)) {
    for (const { name, hash } of page.flatMap(blobsOf)) if (name === 'workflow') kept.add(hash);
  }
  return [...kept];
}
