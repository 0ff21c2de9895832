import { asError, hasCode } from '../base/index.ts';
import type { StoredCommit } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { findRun, readChain, type Chain } from './chain.ts';
import { blobsOf, genesis, type BlobRef } from './codec.ts';

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
  const { commits, damage } = await examineRun(store, run);
  if (damage === undefined) return { run, commits: commits.length, ok: true };
  const { firstBad, reason } = damage;
  return { run, commits: commits.length, ok: false, firstBad, reason };
}

/** The chain of a run up to the first commit that is wrong itself, or refers to a value that is lost. */
export async function examineRun(store: Store, run: string): Promise<Chain> {
  const chain = await readChain(store, run);
  const fault = await findLostValue(store, chain.commits);
  if (fault === undefined) return chain;
  const { commits, damage } = chain;
  const good = commits.slice(0, fault.seq - 1);
  const lastGood = { seq: good.length, hash: good.at(-1)?.hash ?? genesis };
  const knownSeq = Math.max(damage?.knownSeq ?? 0, commits.length);
  return { commits: good, damage: { lastGood, firstBad: fault.seq, knownSeq, reason: fault.reason } };
}

async function findLostValue(
  store: Store,
  commits: readonly StoredCommit[],
): Promise<{ seq: number; reason: string } | undefined> {
  const seen = new Set<string>();
  for (const commit of commits) {
    for (const blob of blobsOf(commit)) {
      const reason = seen.has(blob.hash) ? undefined : await faultOf(store, blob, commit);
      if (reason !== undefined) return { seq: commit.seq, reason: `commit ${commit.seq}: ${reason}` };
      seen.add(blob.hash);
    }
  }
  return undefined;
}

async function faultOf(
  store: Store,
  { name, hash }: BlobRef,
  { run, seq }: StoredCommit,
): Promise<string | undefined> {
  try {
    await store.readBlob(hash);
    return undefined;
  } catch (thrown) {
    if (hasCode(thrown, 'STORE_DAMAGED')) return asError(thrown).message;
    if (!hasCode(thrown, 'BLOB_MISSING')) throw thrown;
    const isDefinition = seq === 1 && name === 'workflow';
    return !isDefinition && (await mayDrop(store, run)) ? undefined : asError(thrown).message;
  }
}

/**
 * A run that has succeeded may have dropped big values on purpose: see `preserve`. Only then does it have a snapshot of
 * its very end. Asked when a value is missing, not before.
 */
export async function mayDrop(store: Store, run: string): Promise<boolean> {
  const { status, seq } = await findRun(store, run);
  return status === 'succeeded' && (await store.loadSnapshot(run, seq))?.seq === seq;
}
