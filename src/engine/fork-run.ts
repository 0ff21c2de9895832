import { chainHash, effect, genesis, hasCode, PitonError, randomId, shellWord } from '../base/index.ts';
import {
  decideEdits,
  finishedOf,
  fold,
  foldCommit,
  holdSpooled,
  leaveAttempts,
  refuseEdits,
  rerunsSince,
  summaryOf,
  type ForkEdits,
  type Reruns,
  type RunState,
} from '../kernel/index.ts';
import { journalVersion, type Commit, type Event, type Origin, type StoredCommit } from '../model/index.ts';
import type { ImportedCommit } from '../store/index.ts';
import type { ForkOrder } from '../workspaces/index.ts';
import { checkpointNotFound, checkpointPruned, damaged, findRun, readChain } from './chain.ts';
import { blobsOf, createDecoder, encodeCommit } from './codec.ts';
import { assertNotCopied } from './assert-own-run.ts';
import { problemOfOutput } from './given-outputs.ts';
import { passCrashPoints } from './journal.ts';
import { viewRun } from './load-run.ts';
import { takeLease } from './leases.ts';
import { assertNotBehind, assertNotLost } from './lost-end.ts';
import { leaseName, type EnginePorts } from './options.ts';
import { outgrownSessions } from './outgrown-sessions.ts';
import type { Program } from './program.ts';
import { senderHere } from './send-command.ts';

/** A new run that shares the past of another. */
export interface ForkRequest {
  /** The new one. */
  readonly run: string;
  /** The other, and the last commit that both have. */
  readonly of: string;
  readonly seq: number;
  readonly edits: ForkEdits;
  /** It takes the place of the other. */
  readonly supersedes: boolean;
  /** It waits for whoever resumes it. */
  readonly isPaused: boolean;
  /** The run as it is now, not a moment that was chosen: what its last commit starts may have begun. */
  readonly isPresent: boolean;
}

/**
 * Makes a run whose journal begins with that of another: its commits up to one of them, each with the new id and chained anew, and one
 * that says where it was forked. Big values are shared. It needs nothing of the other from then on, and can be gone on with like any
 * run. Throws `RUN_EXISTS`, `CHECKPOINT_NOT_FOUND`, `CHECKPOINT_PRUNED`, `FORK_REFUSED`, `RUN_DAMAGED`.
 */
export async function forkRun(ports: EnginePorts, request: ForkRequest, program: Program): Promise<void> {
  const { store } = ports;
  const { run } = request;
  await assertNotLost(ports, run);
  // Whatever is kept for it is kept under its id: that has to be free, and to stay so.
  const { taken, lease } = await takeLease(ports, { name: leaseName(run), token: randomId(26) });
  if (!taken) throw exists(run);
  try {
    if ((await store.findRun(run)) !== undefined) throw exists(run);
    await makeFork(ports, request, await planFork(ports, request, program));
  } finally {
    await store.releaseLease(lease).catch(() => {});
  }
}

async function makeFork(ports: EnginePorts, request: ForkRequest, planned: PlannedFork): Promise<void> {
  const { run } = request;
  const { past, state, events, needed } = planned;
  await effect('fork.kept', () => ports.workspaces.fork(forkOrder(state, request)));
  const { seq, at } = state;
  const epoch = past.reduce((highest, commit) => Math.max(highest, commit.epoch), 0);
  const commit: Commit = { run, seq, at, epoch, version: journalVersion, events };
  const { stored, blobs } = encodeCommit(commit, past.at(-1)!.hash);
  const row = { run, seq, hash: stored.hash, incarnation: 1, createdAt: state.createdAt, updatedAt: at };
  passCrashPoints('before', events);
  await ports.store.importRun({
    record: { ...summaryOf(state), ...row },
    commits: [...past, { ...stored, at, blobs: blobs.map(({ hash }) => hash) }],
    blobs,
    needed,
    quarantined: [],
    lease: { name: leaseName(run), epoch },
  });
  passCrashPoints('after', events);
}

function exists(run: string): PitonError {
  return new PitonError('RUN_EXISTS', `There is a run ${run} already.`, {
    run,
    remedy: 'Choose another id, or leave it out.',
  });
}

/** What it would run again of what the other run has done. Throws as `forkRun`. */
export async function previewFork(
  ports: EnginePorts,
  request: ForkRequest,
  program: Program,
): Promise<Reruns> {
  const { state } = await viewRun(ports.store, request.of);
  return rerunsSince(state, (await planFork(ports, request, program)).state);
}

interface PlannedFork {
  readonly past: readonly CopiedCommit[];
  readonly needed: readonly string[];
  /** With these events, which come after the past. */
  readonly state: RunState;
  readonly events: readonly Event[];
}

async function planFork(ports: EnginePorts, request: ForkRequest, program: Program): Promise<PlannedFork> {
  const at = ports.clock.now();
  const parent = await readParent(ports, request);
  const past = copyCommits(parent.past, { run: request.run, at, origin: parent.origin });
  const { state, unbegun } = await foldPast(ports, past, request);
  await assertOutputs(state, request, { ...ports, program });
  const events = await forkEvents(ports, { request, state, parent, unbegun, at });
  return { past, needed: neededBlobs(parent.past), state, events };
}

async function assertOutputs(
  state: RunState,
  { edits: { outputs = {} } }: ForkRequest,
  given: EnginePorts & { readonly program: Program },
): Promise<void> {
  for (const [address, output] of Object.entries(outputs)) {
    const task = state.tasks.get(address);
    const problem = task && (await problemOfOutput(task.spec, output, given));
    if (problem !== undefined)
      throw new PitonError('INPUT_INVALID', `${address}: ${problem}.`, { task: address });
  }
}

interface Parent {
  readonly past: readonly StoredCommit[];
  readonly since: readonly StoredCommit[];
  /** Where it is now: it may have been imported since. */
  readonly origin: Origin | undefined;
}

async function readParent(ports: EnginePorts, { of, seq }: ForkRequest): Promise<Parent> {
  const { store } = ports;
  await assertNotBehind(ports, await findRun(store, of));
  const { origin } = (await viewRun(store, of)).state;
  await assertNotCopied(store, of, origin);
  const { commits, damage } = await readChain(store, of);
  if (damage !== undefined && damage.firstBad <= seq) throw damaged(store, of, damage);
  if (seq < 1 || seq > commits.length)
    throw checkpointNotFound({ run: of }, `checkpoint ${seq}`, `Its checkpoints are 1 to ${commits.length}`);
  return { past: commits.slice(0, seq), since: commits.slice(seq), origin };
}

interface Copying {
  readonly run: string;
  /** When. */
  readonly at: number;
  readonly origin: Origin | undefined;
}

/** The first says where all of them are from. */
function copyCommits(commits: readonly StoredCommit[], { run, at, origin }: Copying): CopiedCommit[] {
  const last = commits.at(-1)!;
  const copied: CopiedCommit[] = [];
  for (const stored of commits) {
    const { run: of, seq } = stored;
    const rest = stored.body.slice(`{"run":${JSON.stringify(of)}`.length);
    const named = `{"run":${JSON.stringify(run)}${rest}`;
    const fork = { run: of, seq: last.seq, hash: last.hash, at };
    const body = seq === 1 ? withOrigin(named, { fork, ...(origin !== undefined && { origin }) }) : named;
    const hash = chainHash(copied.at(-1)?.hash ?? genesis, body);
    copied.push({ run, seq, body, hash, ...headOf(body), blobs: blobsOf(stored).map((blob) => blob.hash) });
  }
  return copied;
}

/** All but what agents have said, which is only shown, and may have been dropped. */
function neededBlobs(commits: readonly StoredCommit[]): string[] {
  return commits.flatMap(blobsOf).flatMap(({ name, hash }) => (name === 'entries' ? [] : [hash]));
}

interface CopiedCommit extends ImportedCommit {
  readonly epoch: number;
}

function headOf(body: string): { readonly at: number; readonly epoch: number } {
  const { at, epoch } = JSON.parse(body) as { readonly at: number; readonly epoch: number };
  return { at, epoch };
}

function withOrigin(body: string, where: object): string {
  const commit = JSON.parse(body) as { events: { data: object }[] };
  const [created, ...others] = commit.events;
  const events = [{ ...created, data: { ...created!.data, ...where } }, ...others];
  return JSON.stringify({ ...commit, events });
}

interface FoldedPast {
  readonly state: RunState;
  /** Attempts that the last commit starts. */
  readonly unbegun: ReadonlySet<string>;
}

async function foldPast(
  { store }: EnginePorts,
  past: readonly StoredCommit[],
  { of, seq, isPresent }: ForkRequest,
): Promise<FoldedPast> {
  const decode = createDecoder(store, { transcripts: false });
  let state: RunState | undefined;
  let last: readonly Event[] = [];
  try {
    for (const stored of past) {
      const commit = await decode(stored);
      state = foldCommit(state, commit);
      last = commit.events;
    }
  } catch (thrown) {
    throw hasCode(thrown, 'BLOB_MISSING') ? checkpointPruned(of, seq, thrown) : thrown;
  }
  const started = last.flatMap((event) => (event.type === 'attempt.started' ? [event.attempt] : []));
  return { state: state!, unbegun: new Set(isPresent ? [] : started) };
}

interface Forking extends FoldedPast {
  readonly request: ForkRequest;
  readonly parent: Parent;
  readonly at: number;
}

/** Folds them as they are decided. */
async function forkEvents(ports: EnginePorts, forking: Forking): Promise<readonly Event[]> {
  const { request, state, parent, unbegun, at } = forking;
  const { of, seq, edits, isPaused } = request;
  const refusal = refuseEdits(state, edits);
  if (refusal !== undefined) throw refused(request, refusal);
  const outgrown = await outgrownSessions(ports, {
    state,
    since: parent.since,
    unbegun,
    supersedes: request.supersedes,
  });
  const events: Event[] = [];
  const add = (more: readonly Event[]): void => {
    for (const event of more) fold(state, event, { seq: seq + 1, at: Math.max(at, state.at) });
    events.push(...more);
  };
  const spooled = Object.keys(state.spooled ?? {});
  add([forkedEvent(ports, request, outgrown)]);
  add(leaveAttempts(state, of, unbegun));
  add(holdSpooled(state, of, spooled));
  const decided = decideEdits(state, edits);
  if ('refusal' in decided) throw refused(request, decided.refusal);
  add(decided.events);
  if (isPaused && state.phase.status === 'active')
    add([{ type: 'run.paused', data: { reason: 'it was forked, and waits to be resumed' } }]);
  return events;
}

function forkedEvent(
  { environment }: EnginePorts,
  { of, seq, edits, supersedes }: ForkRequest,
  outgrown: readonly string[],
): Event {
  const { inputs, outputs } = edits;
  const data = {
    run: of,
    seq,
    ...(supersedes && { supersedes }),
    ...(outgrown.length > 0 && { outgrown }),
    ...(inputs !== undefined && { inputs }),
    ...(outputs !== undefined && { outputs }),
    by: senderHere(environment),
  };
  return { type: 'run.forked', data };
}

/** What it will need of the other, which may be removed meanwhile. */
function forkOrder(state: RunState, { run, of }: ForkRequest): ForkOrder {
  const { origin, tip } = state;
  const tasks = [...state.tasks.values()];
  const usesGit = tip !== undefined || tasks.some(({ inherited }) => inherited !== undefined);
  return {
    run,
    of,
    ...(origin?.repository !== undefined && usesGit && { repository: origin.repository }),
    ...(tip !== undefined && { tip }),
    saved: tasks.flatMap(({ address: task, inherited }) =>
      inherited === undefined ? [] : [{ task, commit: inherited.snapshot }],
    ),
    artifacts: tasks
      .filter(({ spec, life }) => spec.artifacts !== undefined && life.status === 'succeeded')
      .map(({ address: task, stage }) => {
        const by = finishedOf(stage)?.by;
        return { task, ...(by !== undefined && { by }) };
      }),
  };
}

function refused({ of, seq }: ForkRequest, why: string): PitonError {
  return new PitonError('FORK_REFUSED', `${of}@${seq} cannot be forked like that: ${why}.`, {
    run: of,
    seq,
    remedy: `See how it stood: piton show ${shellWord(`${of}@${seq}`)}`,
  });
}
