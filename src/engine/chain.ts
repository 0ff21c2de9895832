import { chainHash, genesis, PitonError, shellWord } from '../base/index.ts';
import type { StoredCommit } from '../model/index.ts';
import type { RunRecord, Store } from '../store/index.ts';

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

/** A run that the store has lost must not be begun anew: what it did was done. `started`: as the spool tells. Throws `RUN_LOST`. */
export async function refuseLost(
  store: Store,
  run: string,
  started?: { readonly seq?: number; readonly file: string },
): Promise<void> {
  // In this order: whoever makes the run at this moment writes to the store first, and then to the mirror and the spool.
  const mirrored = await store.witnessedSeq(run);
  const witnessed = mirrored ?? started?.seq;
  const isKnown = started !== undefined || mirrored !== undefined;
  if (!isKnown || (await store.findRun(run)) !== undefined) return;
  const what =
    mirrored === undefined ? 'for which processes were started' : 'of which its mirror shows commits';
  const howFar =
    witnessed === undefined ? '; how far it had come cannot be read' : `, up to commit ${witnessed}`;
  const message = `The store ${store.url} has lost run ${run}, ${what}${howFar}.`;
  const forgotten = started === undefined ? '' : ` If it was removed on purpose, remove ${started.file} too.`;
  const remedy = `Restore the store from a backup, or start a run with another id.${forgotten}`;
  throw new PitonError('RUN_LOST', message, { run, ...(witnessed !== undefined && { witnessed }), remedy });
}

/**
 * All good commits of a run, and what is wrong with the rest. The hashes prove that nothing was changed or taken out of
 * the middle; the run's own row and the witness, that nothing was cut off the end. It can be read while somebody writes
 * to it or repairs it: only what a second look finds at the same place is called damage. Throws `RUN_NOT_FOUND`.
 */
export async function readChain(store: Store, run: string): Promise<Chain> {
  for (let chain = await readOnce(store, run); ;) {
    if (chain.damage === undefined) return chain;
    const again = await readOnce(store, run);
    if (again.damage?.firstBad === chain.damage.firstBad) return again;
    chain = again;
  }
}

/** What the run's own row says of the end of its journal: also if the rest of the row is damaged. Throws `RUN_NOT_FOUND`. */
async function findEnd(store: Store, run: string): Promise<Head> {
  try {
    return await findRun(store, run);
  } catch (thrown) {
    if (!(thrown instanceof PitonError) || thrown.code !== 'STORE_DAMAGED') throw thrown;
    const { run: of, seq, hash } = thrown.details;
    if (of !== run) throw thrown;
    return { seq: Number.isSafeInteger(seq) ? Number(seq) : 0, hash: String(hash) };
  }
}

async function readOnce(store: Store, run: string): Promise<Chain> {
  // In this order, each can only show more than the one before: whoever writes at this moment writes the commit and the
  // run's row together, and then to the mirror.
  const witnessed = (await store.witnessedSeq(run)) ?? 0;
  const end = await findEnd(store, run);
  const commits: StoredCommit[] = [];
  const inside = await addAllGood(commits, store, run);
  const fault =
    inside ?? tailFault(commits, end, witnessed) ?? (await overhang(store, { run, ...end }, commits.length));
  if (fault === undefined) return { commits };
  const lastGood = { seq: commits.length, hash: commits.at(-1)?.hash ?? genesis };
  const knownSeq = Math.max(end.seq, witnessed, lastGood.seq);
  return { commits, damage: { lastGood, firstBad: lastGood.seq + 1, knownSeq, reason: fault } };
}

/**
 * The commits from `known` on, which a snapshot names, up to the end or `upTo`; `known` itself is the first. Undefined if it is not among
 * them, or anything after it is not as it should be, or was changed meanwhile: what that is, `readChain` tells. Throws `RUN_NOT_FOUND`.
 */
export async function readAfter(
  store: Store,
  known: Head & { readonly run: string },
  upTo: number,
): Promise<readonly StoredCommit[] | undefined> {
  const { run } = known;
  // In the order of `readOnce`, and for its reason.
  const witnessed = (await store.witnessedSeq(run)) ?? 0;
  const end = await findEnd(store, run);
  const commits = await goodAfter(store, known, upTo);
  const { length } = commits;
  const seq = known.seq + length - 1;
  if (length === 0 || upTo !== Infinity) return seq === upTo ? commits : undefined;
  const isWhole = seq >= witnessed && commits[end.seq - known.seq]?.hash === end.hash;
  return isWhole && (await overhang(store, { run, ...end }, seq)) === undefined ? commits : undefined;
}

/** None if one of them is not good. */
async function goodAfter(
  store: Store,
  known: Head & { readonly run: string },
  upTo: number,
): Promise<StoredCommit[]> {
  const commits: StoredCommit[] = [];
  for await (const page of pagesOf(store, known.run, known.seq - 1)) {
    for (const stored of page) {
      if (stored.seq > upTo) return commits;
      const previous = commits.at(-1);
      const isGood =
        previous === undefined
          ? stored.seq === known.seq && stored.hash === known.hash
          : faultOf(stored, previous) === undefined;
      if (!isGood) return [];
      commits.push(stored);
    }
  }
  return commits;
}

async function addAllGood(commits: StoredCommit[], store: Store, run: string): Promise<string | undefined> {
  for await (const page of pagesOf(store, run)) {
    const fault = addGood(commits, page);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

export async function* pagesOf(store: Store, run: string, from = 0): AsyncGenerator<readonly StoredCommit[]> {
  for (let after = from; ;) {
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
    const fault = faultOf(stored, { seq: commits.length, hash: previousHash });
    if (fault !== undefined) return fault;
    commits.push(stored);
  }
  return undefined;
}

/** What is wrong with a commit as the one that follows `previous`. */
export function faultOf({ run, seq, body, hash }: StoredCommit, previous: Head): string | undefined {
  if (seq !== previous.seq + 1) return `commit ${previous.seq + 1} is missing`;
  if (hash !== chainHash(previous.hash, body)) return `commit ${seq} is not what was written`;
  return body.startsWith(`{"run":${JSON.stringify(run)},"seq":${seq},`)
    ? undefined
    : `commit ${seq} belongs elsewhere`;
}

const otherEnd = `the run's own row names another last commit`;

function tailFault(
  commits: readonly StoredCommit[],
  { seq, hash }: Head,
  witnessed: number,
): string | undefined {
  const { length } = commits;
  if (length < seq) return `the run had ${seq} commits, of which only ${length} are there`;
  if (length < witnessed) return `its mirror shows ${witnessed} commits, the store only ${length}`;
  return commits[seq - 1]?.hash === hash ? undefined : otherEnd;
}

/** More commits than the row knew of may have been written since. Then the row, too, has gone on. */
async function overhang(
  store: Store,
  { run, seq }: { readonly run: string; readonly seq: number },
  length: number,
): Promise<string | undefined> {
  if (length === seq) return undefined;
  return (await findEnd(store, run)).seq < length ? otherEnd : undefined;
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

/** `hint`: what comes nearest, without a full stop. */
export function checkpointNotFound(
  { run }: { readonly run: string },
  what: string,
  hint: string,
): PitonError {
  return new PitonError('CHECKPOINT_NOT_FOUND', `Run ${run} has no ${what}.`, {
    run,
    remedy: `${hint}. See piton history ${shellWord(run)}.`,
  });
}

/** `cause`: the blob that is missing. */
export function checkpointPruned(run: string, seq: number, cause: unknown): PitonError {
  const message = `Checkpoint ${run}@${seq} cannot be gone back to: its values have been removed to save space.`;
  return new PitonError('CHECKPOINT_PRUNED', message, {
    run,
    seq,
    cause,
    remedy:
      'Start a new run. To keep values for later, leave `preserve: false` out of the workflow, and see `retention`.',
  });
}
