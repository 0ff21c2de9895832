import { livenessOf, PitonError, randomId } from '../base/index.ts';
import {
  driftOf,
  fold,
  newRunState,
  plan,
  statusOf,
  summaryOf,
  type Drift,
  type RunState,
  type World,
} from '../kernel/index.ts';
import {
  isFinal,
  journalVersion,
  type Command,
  type CommandAnswer,
  type Commit,
  type Event,
  type Workflow,
} from '../model/index.ts';
import { runExists, type RunFilter, type RunRecord } from '../store/index.ts';
import { findRun, refuseLost } from './chain.ts';
import { encodeCommit, genesis } from './codec.ts';
import { Driver } from './driver.ts';
import { Journal, passCrashPoints } from './journal.ts';
import { loadRun } from './load-run.ts';
import { leaseName, type EnginePorts, type Inputs } from './options.ts';
import type { Program } from './program.ts';
import { repairRun } from './repair.ts';
import { takeRunLease } from './take-run-lease.ts';
import { verifyRun, type RunVerdict } from './verify-run.ts';

export interface CreateOptions {
  readonly run: string;
  readonly inputs: Inputs;
  /** Of a graph: fields that begin with another value than the workflow gives. */
  readonly state?: Inputs;
}

/** `keepPause`: attaching to a paused run is not a wish to end the pause. */
interface AttachOptions extends ResumeOptions {
  readonly keepPause?: boolean;
}

export interface ResumeOptions {
  /** Goes on with the given definition where nothing that has begun differs. */
  readonly acceptDrift?: boolean;
  /** Takes the lease also from a living driver; that one can neither commit nor start anything from then on. */
  readonly takeover?: boolean;
}

/** Drives runs on one store. There is one way to attach to work: recovery. Starting is recovering an empty run. */
export class Engine {
  readonly #ports: EnginePorts;
  readonly #drivers = new Map<string, Promise<Driver>>();
  readonly #listeners = new Set<() => void>();
  readonly #unwatch: (() => void)[];

  constructor(ports: EnginePorts) {
    this.#ports = ports;
    this.#unwatch = [
      ports.store.watch(() => this.#changed()),
      ports.store.onLeaseLost(({ token }) => this.#eachDriver((driver) => driver.leaseLost(token))),
    ];
  }

  /** The driver of a run in this process, if it has one. */
  driverOf(run: string): Promise<Driver> | undefined {
    return this.#drivers.get(run);
  }

  /** Makes a run and drives it. Durable when it resolves. Throws `RUN_EXISTS`, `RUN_LOST`. */
  create(program: Program, options: CreateOptions): Promise<Driver> {
    if (this.#drivers.has(options.run)) return Promise.reject(runExists(options.run));
    return this.#register(options.run, this.#create(program, options));
  }

  /**
   * Takes the run's lease, brings back its state and goes on. Undefined if the run has ended already.
   * Throws `RUN_NOT_FOUND`, `RUN_DRIVEN`, `RUN_DAMAGED`, `RUN_CHANGED`.
   */
  async resume(program: Program, run: string, options: AttachOptions): Promise<Driver | undefined> {
    const driving = this.#drivers.get(run);
    if (driving !== undefined) return driving;
    const record = await findRun(this.#ports.store, run);
    if (record.workflow !== program.workflow.name) throw runOfAnother(record, program.workflow);
    if (isFinal(record.status)) return undefined;
    return this.#register(run, this.#resume(program, run, options));
  }

  async #create(program: Program, { run, inputs, state: given }: CreateOptions): Promise<Driver> {
    const { store, clock, owner, leaseMs } = this.#ports;
    const { workflow } = program;
    await refuseLost(store, run);
    const at = clock.now();
    const created: Event = {
      type: 'run.created',
      data: { workflow, inputs, ...(given && { state: given }) },
    };
    const { host, pid, instance } = owner;
    const opening: Event[] = [created, { type: 'lease.taken', data: { epoch: 1, host, pid, instance } }];
    const state = newRunState({ run, seq: 1, at, epoch: 1, version: journalVersion, events: opening });
    for (const event of opening) fold(state, event, { seq: 1, at });
    const events = [...opening, ...plan(state, this.#world(program), { seq: 1, at })];
    const commit: Commit = { run, seq: 1, at, epoch: 1, version: journalVersion, events };
    const { stored, blobs } = encodeCommit(commit, genesis);
    const release = isFinal(statusOf(state));
    passCrashPoints('before', events);
    const token = randomId(26);
    const lease = await store.createRun({
      commit: stored,
      blobs,
      summary: summaryOf(state),
      at,
      owner,
      token,
      leaseMs,
      release,
    });
    passCrashPoints('after', events);
    const driver = this.#driver(program, state, new Journal({ store, lease, head: stored }));
    driver.begin(events, at);
    return driver;
  }

  async #resume(
    program: Program,
    run: string,
    { acceptDrift, takeover, keepPause }: AttachOptions,
  ): Promise<Driver> {
    const { store, clock, observers } = this.#ports;
    const lease = await takeRunLease(this.#ports, run, takeover);
    try {
      const { state, head } = await loadRun(store, run);
      observers.tell({ type: 'checkpoint.loaded', run, at: clock.now(), seq: head.seq });
      const drift = this.#acceptDrift(state, program.workflow, acceptDrift === true);
      // The stored definition may say what the given one does not.
      const evaluator = await program.evaluatorFor(state.workflow);
      const driver = this.#driver({ ...program, evaluator }, state, new Journal({ store, lease, head }));
      const { host, pid, instance } = lease.owner;
      const taken: Event = { type: 'lease.taken', data: { epoch: lease.epoch, host, pid, instance } };
      await driver.recover([taken, ...drift], { endsPause: keepPause !== true });
      observers.tell({ type: 'checkpoint.resumed', run, at: clock.now(), seq: head.seq });
      return driver;
    } catch (thrown) {
      await store.releaseLease(lease);
      throw thrown;
    }
  }

  /** The run keeps the definition it was started with, unless the new one is asked for and touches nothing that has begun. */
  #acceptDrift(state: RunState, given: Workflow, accept: boolean): Event[] {
    if (given.hash === state.workflow.hash) return [];
    const drifts = driftOf(state, given);
    if (given.form !== state.workflow.form || drifts.some(({ begun }) => begun))
      throw changed(state, given, drifts);
    return accept ? [{ type: 'drift.accepted', data: { workflow: given } }] : [];
  }

  #driver(program: Program, state: RunState, journal: Journal): Driver {
    return new Driver({ ...this.#ports, committed: () => this.#tellListeners() }, program, {
      state,
      journal,
    });
  }

  #world({ evaluator }: Program): World {
    const { clock, store, maxOutputBytes } = this.#ports;
    return {
      now: clock.now(),
      chance: Math.random,
      mint: randomId,
      evaluator,
      mayStart: store.hasRoom(),
      maxOutputBytes,
    };
  }

  #register(run: string, starting: Promise<Driver>): Promise<Driver> {
    this.#drivers.set(run, starting);
    const forget = (): void => void this.#drivers.delete(run);
    starting.then((driver) => driver.done.then(forget, forget), forget);
    return starting;
  }

  /** Somebody else has written to the store: there may be a command for one of our runs. */
  #changed(): void {
    this.#eachDriver((driver) => driver.notify());
    this.#tellListeners();
  }

  #eachDriver(act: (driver: Driver) => void): void {
    for (const driver of this.#drivers.values()) void driver.then(act, () => {});
  }

  #tellListeners(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Calls back whenever a run may have gone on, here or elsewhere. Returns the way to stop. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Puts a command into the inbox. With a driver alive anywhere it will be decided; `find` tells how. */
  async send(run: string, command: Command): Promise<string> {
    const { store, clock } = this.#ports;
    await findRun(store, run);
    const id = randomId();
    await store.sendCommand({ id, run, at: clock.now(), command });
    await (await this.#drivers.get(run))?.notify();
    return id;
  }

  /** Whether anybody may be driving the run: here, or elsewhere under a lease that has not run out. */
  async isDriven(run: string): Promise<boolean> {
    if (this.#drivers.has(run)) return true;
    const lease = await this.#ports.store.findLease(leaseName(run));
    return (
      lease !== undefined && lease.expiresAt > this.#ports.clock.now() && livenessOf(lease.owner) !== 'dead'
    );
  }

  async answerTo(id: string): Promise<CommandAnswer | undefined> {
    return (await this.#ports.store.findCommand(id))?.answer;
  }

  /** The state of a run as it is stored, or as it was at an earlier checkpoint. */
  async load(run: string, seq?: number): Promise<RunState> {
    return (await loadRun(this.#ports.store, run, seq)).state;
  }

  find(run: string): Promise<RunRecord> {
    return findRun(this.#ports.store, run);
  }

  list(filter: RunFilter): Promise<RunRecord[]> {
    return this.#ports.store.listRuns(filter);
  }

  verify(run: string): Promise<RunVerdict> {
    return verifyRun(this.#ports.store, run);
  }

  /** Goes back to the last good commit of a damaged run and holds what may have run since. */
  repair(run: string): Promise<{ readonly held: readonly string[]; readonly lastGood: number }> {
    return repairRun(this.#ports, run);
  }

  /** Folds the summaries of all runs anew from their journals. */
  async rebuildSummaries(): Promise<void> {
    for (const { run } of await this.list({ limit: Number.MAX_SAFE_INTEGER })) {
      await this.#ports.store.rebuildSummary(run, summaryOf(await this.load(run)));
    }
  }

  /** Stops all drivers, so that their runs can be resumed. */
  async close(): Promise<void> {
    const drivers = await Promise.allSettled(this.#drivers.values());
    await Promise.allSettled(
      drivers.map((driver) => (driver.status === 'fulfilled' ? driver.value.stop() : undefined)),
    );
    for (const unwatch of this.#unwatch) unwatch();
  }
}

function runOfAnother({ run, workflow }: RunRecord, given: Workflow): PitonError {
  return new PitonError('RUN_CHANGED', `Run ${run} is one of ${workflow}, not of ${given.name}.`, {
    run,
    remedy: 'Choose another id, or resume it with its own definition.',
  });
}

function changed(state: RunState, given: Workflow, drifts: readonly Drift[]): PitonError {
  const { run, workflow } = state;
  const rows = drifts.filter(({ begun }) => begun).map(({ task, change }) => `${task} (${change})`);
  const what =
    rows.length > 0
      ? `tasks it has begun are different now: ${rows.join(', ')}`
      : `it was of the form ${workflow.form}, and is of the form ${given.form} now`;
  return new PitonError('RUN_CHANGED', `Run ${run} cannot go on with this definition: ${what}.`, {
    run,
    drifts,
    remedy: 'Use the definition it was started with, or start a new run.',
  });
}
