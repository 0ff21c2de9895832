import { hasCode, type Json } from '../base/index.ts';
import type { SpooledAttempt, TaskState } from '../kernel/index.ts';
import { isFinal, readSpooledAttempt, type Commit, type Event, type StoredCommit } from '../model/index.ts';
import type { JournalHead, WrittenOrder } from '../spool/index.ts';
import type { Store } from '../store/index.ts';
import type { Head } from './chain.ts';
import { createDecoder } from './codec.ts';
import type { EnginePorts } from './options.ts';
import type { Placed } from './placing.ts';

/**
 * What tells of a run outside of its journal. To be asked for before the journal is read: whoever writes at this moment
 * writes to the journal first.
 */
export interface Witnesses {
  /** The journal was there when a process was started. */
  readonly head?: JournalHead;
  /** What was to be started then has not begun, and was removed. */
  readonly isLastUnbegun: boolean;
  /** It was removed from the store after it had ended, and an older copy has it still. */
  readonly wasRemoved: boolean;
  /** Everything that was ever started for the run. */
  readonly orders: readonly WrittenOrder[];
  /** The branch of the run was moved by this commit. */
  readonly branch?: number;
}

export type WitnessPorts = Pick<EnginePorts, 'store' | 'spool' | 'workspaces'>;

/** `orders`: of all runs, if they were read before. */
export async function witnessesOf(
  ports: WitnessPorts,
  run: string,
  orders?: readonly WrittenOrder[],
): Promise<Witnesses> {
  const found = orders ?? (await ports.spool.orders(run));
  const head = await recordedHead(ports, run);
  const created = await firstCommit(ports.store, run);
  const branch = await branchSeq(ports, run, created);
  const isOwn = (order: WrittenOrder): boolean => order.run === run && !isOfNamesake(order, created);
  return {
    wasRemoved: head !== undefined && (await wasRemoved(ports, run)),
    isLastUnbegun: head !== undefined && (await ports.spool.heads.isUnbegun(run)),
    orders: ports.store.durability === 'none' ? [] : found.filter(isOwn),
    ...(head !== undefined && { head }),
    ...(branch !== undefined && { branch }),
  };
}

/** Whoever removes a run notes that first; one that has ended may be there still because they were killed. */
async function wasRemoved({ store, spool }: WitnessPorts, run: string): Promise<boolean> {
  if (!(await spool.heads.isPruned(run))) return false;
  const found = await store.findRun(run).catch(() => undefined);
  return found !== undefined && !isFinal(found.status);
}

/** What was written down before the last process was started. What is kept nowhere has no witness. */
export async function recordedHead(
  { store, spool }: Pick<WitnessPorts, 'store' | 'spool'>,
  run: string,
): Promise<JournalHead | undefined> {
  return store.durability === 'none' ? undefined : spool.heads.read(run);
}

/** Undefined if it cannot be read. */
async function firstCommit(store: Store, run: string): Promise<Commit | undefined> {
  const [first] = await store.readCommits(run, { after: 0, limit: 1 });
  try {
    return first && (await createDecoder(store)(first));
  } catch {
    return undefined;
  }
}

/** Of a run that had the same id and was pruned. */
function isOfNamesake({ runCreatedAt }: WrittenOrder, created: Commit | undefined): boolean {
  if (runCreatedAt === undefined || created === undefined) return false;
  const [event] = created.events;
  const fork = event?.type === 'run.created' ? event.data.fork : undefined;
  return runCreatedAt !== (fork?.at ?? created.at);
}

async function branchSeq(
  { workspaces }: WitnessPorts,
  run: string,
  created: Commit | undefined,
): Promise<number | undefined> {
  const [event] = created?.events ?? [];
  const repository = event?.type === 'run.created' ? event.data.origin?.repository : undefined;
  // What cannot be asked does not tell anything.
  return repository && (await workspaces.witness(repository, run).catch(() => undefined))?.seq;
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
  { head, orders, branch = 0, wasRemoved }: Witnesses,
): Promise<Missing | undefined> {
  const known = await knownIn(store, commits);
  const lost = orders.filter(({ attempt }) => !known.attempts.has(attempt));
  const seq = Math.max(branch, ...lost.map((order) => order.head?.seq ?? order.seq));
  if (head !== undefined && head.hash !== known.lostHead && !holds(commits, head)) {
    return {
      seq: Math.max(seq, head.seq),
      reason: `it was at commit ${head.seq} when a process was started`,
    };
  }
  if (wasRemoved)
    return { seq: Math.max(seq, head?.seq ?? 0), reason: 'it had ended, and was removed from the store' };
  if (lost.length > 0) {
    const names = Array.from(new Set(lost.map(({ task }) => task)));
    return { seq, reason: `the spool has attempts of ${names.join(', ')} which it does not know` };
  }
  // What is buffered counts as one commit more, and is lost with the driver.
  if (branch <= Math.max(commits.length, known.lostTo) + 1) return undefined;
  return { seq, reason: `the branch of the run holds what was made at commit ${branch}` };
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
  const { attempts } = await knownIn(store, commits);
  return orders.filter(({ attempt }) => !attempts.has(attempt));
}

interface Known {
  readonly attempts: Set<string>;
  /** Up to there commits were lost and given up. */
  lostTo: number;
  lostHead?: string;
}

async function knownIn(store: Store, commits: readonly StoredCommit[]): Promise<Known> {
  const decode = createDecoder({ readBlob: (hash) => readIfKept(store, hash) });
  const known: Known = { attempts: new Set(), lostTo: 0 };
  // Most commits tell of neither, and need not be read.
  const telling = commits.filter(({ body }) => /"type":"(?:attempt\.started|run\.repaired)"/.test(body));
  for (const commit of telling) for (const event of (await decode(commit)).events) learn(known, event);
  return known;
}

/** Big values may have been dropped on purpose; what is asked for here is not among them. */
async function readIfKept(store: Store, hash: string): Promise<string | undefined> {
  try {
    return await store.readBlob(hash);
  } catch (thrown) {
    if (hasCode(thrown, 'BLOB_MISSING')) return undefined;
    throw thrown;
  }
}

function learn(known: Known, event: Event): void {
  if (event.type === 'attempt.started') known.attempts.add(event.attempt);
  if (event.type !== 'run.repaired') return;
  const { spooled = [], unclear = [], lostTo, head } = event.data;
  if (head !== undefined) known.lostHead = head.hash;
  known.lostTo = lostTo;
  for (const attempt of [...spooled.map((one) => one.attempt), ...unclear]) known.attempts.add(attempt);
}

/** Whether the spool has everything that was started: at least what was started last is there. */
export function isSpoolWhole({ head, orders, isLastUnbegun }: Witnesses): boolean {
  return head !== undefined && (isLastUnbegun || orders.some((order) => order.head?.hash === head.hash));
}

/** What the journal says of the beginning of an attempt, for its own folder. */
export function journalledOf({ address: task, life, slot }: TaskState, prepared: Placed['place']): Json {
  if (life.status !== 'running' || life.attempt === undefined) throw new Error(`${task} is not under way`);
  const { id: attempt, startedAt: at, number, kind, agent } = life.attempt;
  const told = { task, attempt, at, started: { number, kind, agent, slot }, prepared };
  return JSON.parse(JSON.stringify(told)) as Json;
}

/** The same, read from there. An older version has not written that. */
export function spooledAttemptOf({ attempt, task, journalled }: WrittenOrder): SpooledAttempt | undefined {
  const read = readSpooledAttempt(journalled);
  return read?.attempt === attempt && read.task === task ? read : undefined;
}
