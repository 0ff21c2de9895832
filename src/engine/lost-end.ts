import { PitonError } from '../base/index.ts';
import type { JournalHead } from '../spool/index.ts';
import type { RunRecord, Store } from '../store/index.ts';
import { refuseLost, type Head } from './chain.ts';
import { loadRun } from './load-run.ts';
import { recordedHead, type WitnessPorts } from './witnesses.ts';

/**
 * The error that keeps everybody from going on with a run whose journal lacks a commit that was written down outside of it; undefined if
 * it has it. One small file is read: what else tells of the run is asked by whoever goes on with it. Throws `SPOOL_UNREADABLE`.
 */
export async function findLostEnd(
  ports: Pick<WitnessPorts, 'store' | 'spool'>,
  record: Pick<RunRecord, 'run' | 'seq' | 'hash'>,
): Promise<PitonError | undefined> {
  const { store } = ports;
  const { run } = record;
  const recorded = await recordedHead(ports, run);
  if (recorded === undefined || (await isInJournal(store, record, recorded))) return undefined;
  // It may have been repaired, or given up by a repair that was killed.
  const loaded = await loadRun(store, run).catch(() => undefined);
  if (loaded?.state.lostHead === recorded.hash) return undefined;
  const head = loaded?.head ?? record;
  if (await isInJournal(store, { run, ...head }, recorded)) return undefined;
  return lostEnd(store, { run, seq: head.seq, witnessed: recorded.seq });
}

/** Before anything is decided about a run, or said of how it ended: it may have been gone on with since. Throws `RUN_BEHIND`. */
export async function assertNotBehind(...given: Parameters<typeof findLostEnd>): Promise<undefined> {
  const lost = await findLostEnd(...given);
  if (lost !== undefined) throw lost;
}

/** Before a run is created: there may have been one of that id, which the store has lost. Throws `RUN_LOST`. */
export async function assertNotLost(
  ports: Pick<WitnessPorts, 'store' | 'spool'>,
  run: string,
): Promise<void> {
  const { heads } = ports.spool;
  heads.forget(run);
  if (!(await heads.isRecorded(run))) return refuseLost(ports.store, run);
  if ((await heads.isPruned(run)) && (await ports.store.findRun(run)) === undefined) return heads.remove(run);
  const known = await recordedHead(ports, run);
  const isTold = known !== undefined || (ports.store.durability !== 'none' && (await heads.isDamaged(run)));
  await refuseLost(ports.store, run, isTold ? { ...known, file: heads.fileOf(run) } : undefined);
}

/** `last`: of the journal, as it was when it was read. */
export async function isInJournal(
  store: Store,
  { run, ...last }: Head & { readonly run: string },
  { seq, hash }: JournalHead,
): Promise<boolean> {
  const [found] = seq === last.seq ? [last] : await store.readCommits(run, { after: seq - 1, limit: 1 });
  return found?.hash === hash;
}

export function lostEnd(
  { url }: Store,
  known: { readonly run: string; readonly seq: number; readonly witnessed: number },
): PitonError {
  const { run, seq, witnessed } = known;
  const message = `A process was started for ${run}@${witnessed}, which the journal in ${url} does not know: it ends at ${run}@${seq}. Its end is lost, or the store is an older copy.`;
  const remedy = `Bring back the newer store; or go on with what is known of it elsewhere: piton verify ${run} --repair`;
  return new PitonError('RUN_BEHIND', message, { ...known, remedy });
}
