import type { SpooledAttempt } from '../kernel/index.ts';
import { readSpooledAttempt, type StoredCommit } from '../model/index.ts';
import type { JournalHead, WrittenOrder } from '../spool/index.ts';
import type { Store } from '../store/index.ts';
import type { Head } from './chain.ts';
import { createDecoder } from './codec.ts';
import type { EnginePorts } from './options.ts';

/**
 * What tells of a run outside of its journal. To be asked for before the journal is read: whoever writes at this moment
 * writes to the journal first.
 */
export interface Witnesses {
  /** The journal was there when a process was started. */
  readonly head?: JournalHead;
  /** Everything that was ever started for the run. */
  readonly orders: readonly WrittenOrder[];
}

export type WitnessPorts = Pick<EnginePorts, 'store' | 'spool'>;

/** `orders`: of all runs, if they were read before. */
export function witnessesOf(
  { store, spool }: WitnessPorts,
  run: string,
  orders: readonly WrittenOrder[] = spool.orders(run),
): Witnesses {
  if (store.durability === 'none') return { orders: [] };
  const head = spool.heads.read(run);
  const own = orders.filter((order) => order.run === run);
  return { orders: own, ...(head !== undefined && { head }) };
}

/** What a journal does not know, although it was there when it happened. */
export interface Missing {
  /** So far the journal is known to have gone. */
  readonly seq: number;
  readonly reason: string;
}

/** Undefined if these commits are all that the witnesses tell of. */
export async function missingIn(
  store: Store,
  commits: readonly StoredCommit[],
  { head, orders }: Witnesses,
): Promise<Missing | undefined> {
  const lost = await lostAttempts(store, commits, orders);
  const seq = Math.max(0, ...lost.map((order) => order.head?.seq ?? order.seq));
  if (head !== undefined && !holds(commits, head)) {
    return {
      seq: Math.max(seq, head.seq),
      reason: `it was at commit ${head.seq} when a process was started`,
    };
  }
  if (lost.length === 0) return undefined;
  const names = Array.from(new Set(lost.map(({ task }) => task)));
  return { seq, reason: `the spool has attempts of ${names.join(', ')} which it does not know` };
}

function holds(commits: readonly StoredCommit[], { seq, hash }: Head): boolean {
  return commits[seq - 1]?.hash === hash;
}

/** Attempts that were started and of which these commits do not tell. */
export async function lostAttempts(
  store: Store,
  commits: readonly StoredCommit[],
  orders: readonly WrittenOrder[],
): Promise<WrittenOrder[]> {
  if (orders.length === 0) return [];
  const known = await knownAttempts(store, commits);
  return orders.filter(({ attempt }) => !known.has(attempt));
}

async function knownAttempts(store: Store, commits: readonly StoredCommit[]): Promise<Set<string>> {
  const decode = createDecoder(store);
  const known = new Set<string>();
  for (const commit of commits) {
    // Most commits tell of neither, and need not be read.
    if (!/"type":"(?:attempt\.started|run\.repaired)"/.test(commit.body)) continue;
    for (const event of (await decode(commit)).events) {
      if (event.type === 'attempt.started') known.add(event.attempt);
      else if (event.type === 'run.repaired')
        for (const { attempt } of event.data.spooled ?? []) known.add(attempt);
    }
  }
  return known;
}

/** Whether the spool has everything that was started: at least what was started last is there. */
export function isSpoolWhole({ head, orders }: Witnesses): boolean {
  return head !== undefined && orders.some((order) => order.head?.hash === head.hash);
}

/** What an attempt's own folder tells of its beginning. An older version has not written that. */
export function spooledAttemptOf({ attempt, task, journalled }: WrittenOrder): SpooledAttempt | undefined {
  const read = readSpooledAttempt(journalled);
  return read?.attempt === attempt && read.task === task ? read : undefined;
}
