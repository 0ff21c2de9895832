import { stat } from 'node:fs/promises';
import { hasCode, PitonError } from '../base/index.ts';
import { statusOf, type RunState } from '../kernel/index.ts';
import { isFinal, isSeenBySpool, type Origin } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import type { Witness } from '../workspaces/index.ts';
import type { LoadedRun } from './load-run.ts';
import { isInJournal, lostEnd } from './lost-end.ts';
import type { CreateOptions, EnginePorts } from './options.ts';
import { examineRun } from './verify-run.ts';
import { recordedHead, witnessesOf } from './witnesses.ts';

/**
 * Before anything is done for a run that was begun earlier: whoever copies a project has two stores that know the same run,
 * and whoever restores a backup, or loses the end of the database's log, has a spool and a repository that know more of it
 * than its journal. Throws `RUN_ELSEWHERE`, `RUN_BEHIND`.
 */
export async function assertOwnRun(ports: EnginePorts, loaded: LoadedRun): Promise<void> {
  const { store, workspaces } = ports;
  const { state } = loaded;
  const { run, origin } = state;
  await assertNotCopied(store, run, origin);
  await assertNotCut(ports, loaded);
  if (origin?.repository === undefined) return;
  // What cannot be asked does not tell anything: the tasks that need it will say so.
  const witness = await workspaces.witness(origin.repository, run).catch(() => undefined);
  // What is buffered counts as one commit more, and is lost with the driver.
  const known = Math.max(state.seq, state.lostTo ?? 0) + 1;
  if (witness !== undefined && witness.seq > known) throw behind(store, state, witness);
}

/** What was started last was written down outside of the store before. */
async function assertNotCut(ports: EnginePorts, loaded: LoadedRun): Promise<void> {
  const { store, spool } = ports;
  const { state, head } = loaded;
  const { run, lostHead } = state;
  // Another process may have taken the run back to an earlier commit since it was driven here.
  spool.heads.forget(run);
  const recorded = await recordedHead(ports, run);
  if (recorded === undefined) return assertAllKnown(ports, loaded);
  // Whoever has repaired it was killed before that was written down there too.
  if (recorded.hash === lostHead) return spool.heads.replace(run, head, recorded);
  if (await isInJournal(store, { run, ...head }, recorded)) return assertNotRemoved(ports, state);
  throw lostEnd(store, { run, seq: head.seq, witnessed: recorded.seq });
}

/**
 * Whoever removes a run notes that first, and then takes away what its processes have left: an older copy of the store that has the
 * run under way cannot know what became of them. One that has ended is there because whoever wanted to remove it was killed.
 */
async function assertNotRemoved({ store, spool }: EnginePorts, state: RunState): Promise<void> {
  const { run, seq } = state;
  if (!(await spool.heads.isPruned(run))) return;
  if (isFinal(statusOf(state))) return spool.heads.forgetPruning(run);
  const message = `Run ${run} had ended and was removed; ${store.url} is an older copy, which has it at ${run}@${seq}.`;
  const remedy = `Start a new run; or go on with what is known of it, after a person has looked: piton verify ${run} --repair`;
  throw new PitonError('RUN_BEHIND', message, { run, seq, witnessed: seq, remedy });
}

/**
 * If the record is not what was written, every attempt is asked instead: that takes longer. The same if there is none, unless
 * nothing of the run is a process: it goes when its run is pruned, and an older copy of the store has that run still.
 */
async function assertAllKnown(ports: EnginePorts, { state, head }: LoadedRun): Promise<void> {
  const { store, spool } = ports;
  const { run, tasks } = state;
  if (store.durability === 'none') return;
  const isSeen = [...tasks.values()].some(({ spec }) => isSeenBySpool(spec.work));
  if (!isSeen && !(await spool.heads.isDamaged(run))) return;
  const { damage } = await examineRun(ports, run, await witnessesOf(ports, run));
  if (damage !== undefined) throw lostEnd(store, { run, seq: head.seq, witnessed: damage.knownSeq });
  await spool.heads.replace(run, head, undefined);
}

/** What a run is made with, and the store it belongs to. One of a program alone is wherever that program opens its store. */
export function ownedBy({ file: store }: Store, options: CreateOptions): CreateOptions {
  const { origin } = options;
  if (origin?.repository === undefined && origin?.file === undefined) return options;
  return store === undefined ? options : { ...options, origin: { ...origin, store } };
}

/** Throws `RUN_ELSEWHERE`. */
export async function assertNotCopied(
  { file }: Store,
  run: string,
  origin: Origin | undefined,
): Promise<void> {
  const [ours, theirs] = [file, origin?.store];
  if (ours === undefined || theirs === undefined || ours === theirs) return;
  // It may be the same file by another name; and if it is gone, this one was moved.
  const [here, there] = [await identityOf(ours), await identityOf(theirs)];
  if (there !== undefined && here !== there) throw copied(run, origin!, ours);
}

function copied(run: string, { store, directory, repository }: Origin, ours: string): PitonError {
  const folder = repository?.root ?? directory;
  const message = `Run ${run} belongs to the store ${store}, of which ${ours} is a copy: going on here would change ${folder} behind its back.`;
  return new PitonError('RUN_ELSEWHERE', message, {
    run,
    store,
    folder,
    remedy: `Go on with it there: piton -C ${directory} resume ${run}. Here, start a new run. If this project was moved, and that is another one by now: bring both back to where they were.`,
  });
}

async function identityOf(file: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(file);
    return `${dev}:${ino}`;
  } catch (error) {
    // What may not be looked at is nobody's whom this one could disturb.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].some((code) => hasCode(error, code))) return undefined;
    throw error;
  }
}

function behind(
  { url }: Store,
  { run, seq }: RunState,
  { seq: witnessed, branch, ref }: Witness,
): PitonError {
  const message = `The branch ${branch} holds what was made at ${run}@${witnessed}, but the journal in ${url} ends at ${run}@${seq}: the store is older than the repository.`;
  return new PitonError('RUN_BEHIND', message, {
    run,
    seq,
    witnessed,
    remedy: `Bring back the newer store; or go on with what is known of it elsewhere: piton verify ${run} --repair. To have done again what the journal does not know, put away what is there: git branch --move ${branch} <name>; git update-ref -d ${ref}`,
  });
}
