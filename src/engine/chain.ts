import { PitonError } from '../base/index.ts';
import type { StoredCommit } from '../model/index.ts';
import type { RunRecord, Store } from '../store/index.ts';
import { chainHash, genesis } from './codec.ts';

const pageSize = 1000;

export interface Head {
  readonly seq: number;
  readonly hash: string;
}

export interface Damage {
  readonly lastGood: Head;
  /** The first commit that is missing or wrong. */
  readonly firstBad: number;
  /** How far the journal is known to have gone. */
  readonly knownSeq: number;
  readonly reason: string;
}

export interface Chain {
  readonly commits: readonly StoredCommit[];
  readonly damage?: Damage;
}

/** Throws `RUN_NOT_FOUND`, or `RUN_LOST` if the run was there once. */
export async function findRun(store: Store, run: string): Promise<RunRecord> {
  const record = await store.findRun(run);
  if (record !== undefined) return record;
  await refuseLost(store, run);
  throw new PitonError('RUN_NOT_FOUND', `There is no run ${run} in ${store.url}.`, {
    run,
    remedy: 'Check the id and the store.',
  });
}

/** A run that the store has lost must not be begun anew: what it did was done. Throws `RUN_LOST`. */
export async function refuseLost(store: Store, run: string): Promise<void> {
  // In this order: whoever makes the run at this moment writes to the store first, and then to the mirror.
  const witnessed = await store.witnessedSeq(run);
  if (witnessed === undefined || (await store.findRun(run)) !== undefined) return;
  const message = `The store ${store.url} has lost run ${run}, of which its mirror shows ${witnessed} commits.`;
  const remedy = 'Restore the store from a backup, or start a run with another id.';
  throw new PitonError('RUN_LOST', message, { run, witnessed, remedy });
}

/**
 * All good commits of a run, and what is wrong with the rest. The hashes prove that nothing was changed or taken out of
 * the middle; the run's own row and the witness, that nothing was cut off the end.
 */
export async function readChain(store: Store, record: RunRecord): Promise<Chain> {
  const commits: StoredCommit[] = [];
  let wrong: string | undefined;
  for await (const page of pagesOf(store, record.run)) {
    wrong = addGood(commits, page);
    if (wrong !== undefined) break;
  }
  const hash = commits.at(-1)?.hash ?? genesis;
  const knownSeq = Math.max(record.seq, (await store.witnessedSeq(record.run)) ?? 0);
  wrong ??= tailFault(commits.length, { record, hash, knownSeq });
  if (wrong === undefined) return { commits };
  const lastGood = { seq: commits.length, hash };
  return { commits, damage: { lastGood, firstBad: commits.length + 1, knownSeq, reason: wrong } };
}

async function* pagesOf(store: Store, run: string): AsyncGenerator<readonly StoredCommit[]> {
  for (let after = 0; ;) {
    const page = await store.readCommits(run, { after, limit: pageSize });
    yield page;
    if (page.length < pageSize) return;
    after = page.at(-1)!.seq;
  }
}

/** Adds what follows on, and tells what is wrong with the first that does not. */
function addGood(commits: StoredCommit[], page: readonly StoredCommit[]): string | undefined {
  for (const stored of page) {
    const previousHash = commits.at(-1)?.hash ?? genesis;
    const fault = faultOf(stored, { expectedSeq: commits.length + 1, previousHash });
    if (fault !== undefined) return fault;
    commits.push(stored);
  }
  return undefined;
}

function faultOf(
  { run, seq, body, hash }: StoredCommit,
  { expectedSeq, previousHash }: { expectedSeq: number; previousHash: string },
): string | undefined {
  if (seq !== expectedSeq) return `commit ${expectedSeq} is missing`;
  if (hash !== chainHash(previousHash, body)) return `commit ${seq} is not what was written`;
  return body.startsWith(`{"run":${JSON.stringify(run)},"seq":${seq},`)
    ? undefined
    : `commit ${seq} belongs elsewhere`;
}

function tailFault(
  length: number,
  { record, hash, knownSeq }: { record: RunRecord; hash: string; knownSeq: number },
): string | undefined {
  if (length < record.seq) return `the run had ${record.seq} commits, of which only ${length} are there`;
  if (length < knownSeq) return `its mirror shows ${knownSeq} commits, the store only ${length}`;
  if (length > record.seq || hash !== record.hash) return `the run's own row names another last commit`;
  return undefined;
}

export function damaged(store: Store, run: string, damage: Damage): PitonError {
  const { lastGood, firstBad, reason } = damage;
  return new PitonError('RUN_DAMAGED', `The journal of run ${run} in ${store.url} is damaged: ${reason}.`, {
    run,
    firstBad,
    lastGood: lastGood.seq,
    remedy: `It is good up to ${run}@${lastGood.seq}: repair goes back there and holds what may have run since.`,
  });
}
