import { asError, hasCode } from '../base/index.ts';
import type { StoredCommit } from '../model/index.ts';
import type { RunRecord, Store } from '../store/index.ts';
import { findRun, readChain } from './chain.ts';
import { blobsOf } from './codec.ts';

export interface RunVerdict {
  readonly run: string;
  /** So many are good. */
  readonly commits: number;
  readonly ok: boolean;
  readonly firstBad?: number;
  readonly reason?: string;
}

/** Looks through the whole journal of a run, and at everything it refers to. */
export async function verifyRun(store: Store, run: string): Promise<RunVerdict> {
  const record = await findRun(store, run);
  const { commits, damage } = await readChain(store, record);
  const found = (await findDamagedBlob(store, record, commits)) ?? damage;
  if (found === undefined) return { run, commits: commits.length, ok: true };
  const { firstBad, reason } = found;
  return { run, commits: firstBad - 1, ok: false, firstBad, reason };
}

async function findDamagedBlob(
  store: Store,
  record: RunRecord,
  commits: readonly StoredCommit[],
): Promise<{ firstBad: number; reason: string } | undefined> {
  const seen = new Set<string>();
  for (const commit of commits) {
    for (const hash of blobsOf(commit)) {
      const reason = seen.has(hash) ? undefined : await faultOf(store, record, hash);
      if (reason !== undefined) return { firstBad: commit.seq, reason: `commit ${commit.seq}: ${reason}` };
      seen.add(hash);
    }
  }
  return undefined;
}

/** A run that has succeeded may have dropped its payloads on purpose: see `preserve`. */
async function faultOf(store: Store, { status }: RunRecord, hash: string): Promise<string | undefined> {
  try {
    await store.readBlob(hash);
    return undefined;
  } catch (thrown) {
    if (hasCode(thrown, 'BLOB_MISSING') && status === 'succeeded') return undefined;
    if (hasCode(thrown, 'BLOB_MISSING') || hasCode(thrown, 'STORE_DAMAGED')) return asError(thrown).message;
    throw thrown;
  }
}
