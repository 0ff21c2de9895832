import { asError, hasCode } from '../base/index.ts';
import type { StoredCommit } from '../model/index.ts';
import type { WrittenOrder } from '../spool/index.ts';
import type { Store } from '../store/index.ts';
import { findRun, readChain, type Chain } from './chain.ts';
import { blobsOf, genesis, type BlobRef } from './codec.ts';
import { missingIn, witnessesOf, type WitnessPorts, type Witnesses } from './witnesses.ts';

export interface RunVerdict {
  readonly run: string;
  /** So many are good. */
  readonly commits: number;
  readonly ok: boolean;
  readonly firstBad?: number;
  readonly reason?: string;
}

/** Looks through the whole journal of a run, at everything it refers to, and at all that tells of it elsewhere. */
export async function verifyRun(
  ports: WitnessPorts,
  run: string,
  orders?: readonly WrittenOrder[],
): Promise<RunVerdict> {
  const { commits, damage } = await examineRun(ports, run, await witnessesOf(ports, run, orders));
  if (damage === undefined) return { run, commits: commits.length, ok: true };
  const { firstBad, reason } = damage;
  return { run, commits: commits.length, ok: false, firstBad, reason };
}

/**
 * The chain of a run up to the first commit that is wrong itself, refers to a value that is lost, or is missing although
 * the witnesses tell of it.
 */
export async function examineRun({ store }: WitnessPorts, run: string, witnesses: Witnesses): Promise<Chain> {
  const chain = await readChain(store, run);
  const { commits, damage } = chain;
  const fault = await findLostValue(store, commits);
  if (fault === undefined) return damage === undefined ? withEnd(store, commits, witnesses) : chain;
  const good = commits.slice(0, fault.seq - 1);
  const lastGood = { seq: good.length, hash: good.at(-1)?.hash ?? genesis };
  const knownSeq = Math.max(damage?.knownSeq ?? 0, commits.length);
  return { commits: good, damage: { lastGood, firstBad: fault.seq, knownSeq, reason: fault.reason } };
}

/** All commits are good; the last may be missing. */
async function withEnd(store: Store, commits: readonly StoredCommit[], witnesses: Witnesses): Promise<Chain> {
  const missing = await missingIn(store, commits, witnesses);
  const last = commits.at(-1);
  if (missing === undefined || last === undefined) return { commits };
  const { seq, hash } = last;
  const knownSeq = Math.max(missing.seq, seq + 1);
  const reason = `it ends at commit ${seq}, but ${missing.reason}`;
  return { commits, damage: { lastGood: { seq, hash }, firstBad: seq + 1, knownSeq, reason } };
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
