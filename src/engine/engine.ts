import { hasCode } from '../base/index.ts';
import { statusOf, type Reruns, type RunState } from '../kernel/index.ts';
import {
  isFinal,
  type Command,
  type CommandAnswer,
  type Event,
  type Lease,
  type Workflow,
} from '../model/index.ts';
import type { RunRecord } from '../store/index.ts';
import { assertOwnRun } from './assert-own-run.ts';
import { BackupKeeper } from './backup-keeper.ts';
import { findRun } from './chain.ts';
import { createRun } from './create-run.ts';
import { findBeginning, findCheckpoint, type Where } from './find-checkpoint.ts';
import { forkRun, previewFork, type ForkRequest } from './fork-run.ts';
import { DaySpending } from './day-spending.ts';
import { drivenFunctions } from './driven-functions.ts';
import { Driver } from './driver.ts';
import { drivingOf, type Driving } from './driving.ts';
import { type ElsewherePorts } from './elsewhere.ts';
import { Journal } from './journal.ts';
import { loadRun, viewRun } from './load-run.ts';
import { assertNotBehind } from './lost-end.ts';
import { takenEvent } from './opening-events.ts';
import { type CreateOptions, type EnginePorts } from './options.ts';
import { orRepaired } from './or-repaired.ts';
import type { Program } from './program.ts';
import { assertSameWorkflow, drivenHere, isBeingClosed, refuseFromInside } from './refuse-driving.ts';
import { rebuildRow, repairRun, type Repair } from './repair.ts';
import { previewResume, type ResumePreview } from './preview.ts';
import { changesBefore } from './changes-before.ts';
import { withAllSpecs } from './resolve-drift.ts';
import type { Course } from './run-writer.ts';
import { assertAgents } from './known-agents.ts';
import { assertSecrets } from './secrets.ts';
import { takeRunLease } from './take-run-lease.ts';
import { Recorder } from './tell-observers.ts';
import { tendRun } from './tend-run.ts';
import { findSession, offerSession, type FoundSession, type OfferedSession } from './offer-session.ts';
import { sendCommand } from './send-command.ts';
import { reopens, type ResumeOptions } from './resume-options.ts';
import type { RunVerdict } from './run-verdict.ts';
import { verifyAllRuns, verifyRun } from './verify-run.ts';

/** `keepPause`: attaching to a paused run is not a wish to end the pause. */
interface AttachOptions extends ResumeOptions {
  readonly keepPause?: boolean;
}

/** Drives runs on one store. There is one way to attach to work: recovery. Starting is recovering an empty run. */
export class Engine {
  readonly #ports: ElsewherePorts;
  readonly #drivers = new Map<string, Promise<Driver | undefined>>();
  /** Also those that are still recovering. */
  readonly #live = new Set<Driver>();
  #isClosing = false;
  #heartbeatTrouble: string | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #unwatch: (() => void)[];
  readonly #backups: BackupKeeper | undefined;

  readonly now = (): number => this.#ports.clock.now();

  constructor(ports: EnginePorts) {
    this.#ports = {
      ...ports,
      spending: new DaySpending(ports),
      heartbeatTrouble: () => this.#heartbeatTrouble,
    };
    this.#backups = ports.backups && new BackupKeeper(ports, ports.backups);
    this.#unwatch = [
      ports.store.watch(() => void this.#changed()),
      ports.store.onLeaseLost(({ token }) => this.#eachDriver((driver) => driver.leaseLost(token))),
      ports.store.onHeartbeat((trouble) => {
        this.#heartbeatTrouble = trouble;
        this.#eachDriver((driver) => driver.wake());
      }),
    ];
  }

  /** The driver of a run in this process, if it has one. */
  async driverOf(run: string): Promise<Driver | undefined> {
    return this.#drivers.get(run)?.catch(() => undefined);
  }

  /** Why its driver in this process, which may still be recovering, cannot go on at the moment. */
  stalledBecause(run: string): string | undefined {
    for (const driver of this.#live) if (driver.run === run) return driver.stalled;
    return undefined;
  }

  /**
   * Makes a run and drives it; it is durable when this resolves. With the id of a run that is there, attaches to it: goes
   * on with it if nobody does. Undefined if it has ended, or somebody else drives it. Throws as `resume` does.
   */
  async start(program: Program, options: CreateOptions): Promise<Driver | undefined> {
    try {
      return await this.#attach(program, options.run, () => this.#createOrAttach(program, options));
    } catch (thrown) {
      if (hasCode(thrown, 'RUN_DRIVEN')) return undefined;
      throw thrown;
    }
  }

  /**
   * Takes the run's lease, brings back its state and goes on. Undefined if the run has ended already.
   * Throws `RUN_NOT_FOUND`, `RUN_LOST`, `RUN_DRIVEN`, `RUN_DAMAGED`, `RUN_CHANGED`, `REDO_REFUSED`.
   */
  async resume(program: Program, run: string, options: ResumeOptions): Promise<Driver | undefined> {
    let own: Promise<Driver | undefined> | undefined;
    const driver = await this.#attach(program, run, () => (own = this.#resume(program, run, options)));
    // Whoever drives it here has decided otherwise, and would never hear of it.
    if (driver !== undefined && own === undefined && reopens(options))
      throw drivenHere(run, this.#ports.owner);
    const isPaused = await driver?.ask(({ phase }) => phase.status === 'paused');
    if (isPaused === true) await this.send(run, { type: 'resume' });
    return driver;
  }

  /** Makes a run that shares the past of another; nobody drives it yet. Throws as `forkRun`. */
  async fork(program: Program, request: ForkRequest): Promise<void> {
    if (this.#isClosing) throw isBeingClosed();
    await refuseFromInside(this.#ports, request.of);
    await forkRun(this.#ports, request, program);
    this.#tellListeners();
  }

  /** What a fork would run again. Throws as `forkRun`. */
  previewFork(program: Program, request: ForkRequest): Promise<Reruns> {
    return previewFork(this.#ports, request, program);
  }

  /** The commit of a run that is meant: see `findCheckpoint`. `isBeginning`: a task means the commit before it. */
  checkpointAt(run: string, where: Where, isBeginning = false): Promise<number> {
    const search = { store: this.#ports.store, run, now: this.now() };
    return isBeginning ? findBeginning(search, where) : findCheckpoint(search, where);
  }

  /** Whoever asks for a run that is being driven here gets that driver; if it is ending, or came to nothing, one's own. */
  async #attach(
    program: Program,
    run: string,
    begin: () => Promise<Driver | undefined>,
  ): Promise<Driver | undefined> {
    for (;;) {
      const begun = this.#drivers.get(run);
      if (this.#isClosing) throw isBeingClosed();
      if (begun === undefined) return this.#register(run, begin());
      const driver = await begun.catch(() => undefined);
      if (driver !== undefined) assertSameWorkflow(run, driver.workflow, program.workflow);
      if (driver?.isOver === false) return driver;
      await driver?.done.catch(() => {});
    }
  }

  async #createOrAttach(program: Program, options: CreateOptions): Promise<Driver | undefined> {
    try {
      return await this.#create(program, options);
    } catch (thrown) {
      if (!hasCode(thrown, 'RUN_EXISTS')) throw thrown;
      // Attaching to a paused run is not a wish to end the pause.
      return await this.#resume(program, options.run, { keepPause: true, keepDefinition: 'unless-migrated' });
    }
  }

  async #create(program: Program, options: CreateOptions): Promise<Driver> {
    const { events, at, ...course } = await createRun(this.#ports, program, options);
    const driver = this.#driver(program, course);
    driver.begin(events, at);
    return driver;
  }

  #resume(program: Program, run: string, options: AttachOptions): Promise<Driver | undefined> {
    return orRepaired(this.#ports, run, () => this.#resumeSound(program, run, options));
  }

  async #resumeSound(program: Program, run: string, options: AttachOptions): Promise<Driver | undefined> {
    const { store } = this.#ports;
    const record = await findRun(store, run);
    assertSameWorkflow(run, record.workflow, program.workflow);
    if (isFinal(record.status) && !reopens(options)) return assertNotBehind(this.#ports, record);
    await refuseFromInside(this.#ports, run);
    const lease = await takeRunLease(this.#ports, run, options);
    try {
      return await this.#recover(program, lease, { run, ...options });
    } catch (thrown) {
      await store.releaseLease(lease).catch(() => {});
      throw thrown;
    }
  }

  async #recover(
    program: Program,
    lease: Lease,
    { run, keepPause, ...options }: AttachOptions & { readonly run: string },
  ): Promise<Driver | undefined> {
    const { store, clock, observers } = this.#ports;
    const loaded = await loadRun(store, run);
    const { state, head, lag } = loaded;
    // Whoever held the lease until now may have brought the run to its end.
    if (isFinal(statusOf(state)) && !reopens(options)) return store.releaseLease(lease).then(() => undefined);
    await assertOwnRun(this.#ports, loaded);
    observers.tell({ type: 'checkpoint.loaded', run, at: clock.now(), seq: head.seq });
    const { events, after } = await changesBefore(this.#ports, program, { state, options });
    assertAgents(after);
    assertSecrets(after, this.#ports.environment);
    const workflow = withAllSpecs(state, after.workflow);
    const evaluator = await program.evaluatorFor(workflow);
    const journal = new Journal({ store, lease, head, lag });
    const recorder = new Recorder(observers);
    const driver = this.#driver({ ...program, workflow, evaluator }, { state, journal, recorder });
    const functions = drivenFunctions(after, program, { before: state, observers });
    const taken = takenEvent(lease.owner, lease.epoch, functions);
    await driver.recover([taken, ...events], { endsPause: keepPause !== true });
    observers.tell({ type: 'checkpoint.resumed', run, at: clock.now(), seq: head.seq });
    return driver;
  }

  #driver(program: Program, course: Course): Driver {
    const ports = { ...this.#ports, committed: () => this.#tellListeners() };
    const driver = new Driver(ports, program, course);
    this.#live.add(driver);
    this.#backups?.during(driver.done);
    const forget = (): void => void this.#live.delete(driver);
    driver.done.then(forget, forget);
    if (this.#isClosing) void driver.stop().catch(() => {});
    return driver;
  }

  #register(run: string, starting: Promise<Driver | undefined>): Promise<Driver | undefined> {
    this.#drivers.set(run, starting);
    const forget = (): void => {
      if (this.#drivers.get(run) === starting) this.#drivers.delete(run);
      this.#tellListeners();
    };
    starting.then((driver) => (driver === undefined ? forget() : driver.done.then(forget, forget)), forget);
    return starting;
  }

  /** Somebody else has written to the store: there may be a command for one of our runs. */
  async #changed(): Promise<void> {
    this.#ports.spending.expire();
    this.#tellListeners();
    if (this.#live.size === 0) return;
    const runs = Array.from(this.#live, ({ run }) => run);
    const commands = await this.#ports.store.pendingCommands(runs).catch(() => undefined);
    const addressed = new Set(commands?.map(({ run }) => run) ?? runs);
    this.#eachDriver((driver) => addressed.has(driver.run) && driver.notify());
  }

  #eachDriver(act: (driver: Driver) => unknown): void {
    for (const driver of this.#live) act(driver);
  }

  #tellListeners(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Calls back whenever a run may have gone on, here or elsewhere. Returns the way to stop. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Puts a command into the inbox. With a driver alive anywhere it will be decided; `find` tells how. Nothing is decided on what
   * an outdated journal shows: throws `RUN_BEHIND`, `RUN_NOT_FOUND`.
   */
  async send(run: string, command: Command): Promise<string> {
    const id = await sendCommand(this.#ports, run, command);
    for (const driver of this.#live) if (driver.run === run) driver.notify();
    return id;
  }

  /** The conversation of a task with its agent, to look at. */
  async findSession(run: string, task: string): Promise<FoundSession> {
    return findSession(this.#ports, await this.load(run), task);
  }

  /** The conversation of a task with its agent, and the right to be in it, until it is released. */
  async offerSession(run: string, task: string): Promise<OfferedSession> {
    return offerSession(this.#ports, await this.load(run), task);
  }

  releaseSession({ lease }: OfferedSession): Promise<void> {
    return this.#ports.store.releaseLease(lease);
  }

  /** Whether anybody may be driving the run: here, or elsewhere under a lease that has not run out. */
  async isDriven(run: string): Promise<boolean> {
    return this.#drivers.has(run) || (await this.drivingOf([run])).get(run)!.isDriven;
  }

  /** The same of many runs, by run, and whose they are: one look at the store for all of them. */
  drivingOf(runs: readonly string[]): Promise<ReadonlyMap<string, Driving>> {
    return drivingOf(this.#ports, runs, (run) => this.#drivers.has(run));
  }

  async answerTo(id: string): Promise<CommandAnswer | undefined> {
    return (await this.#ports.store.findCommand(id))?.answer;
  }

  /** What going on with the run would do, as things are now. Throws `RUN_NOT_FOUND`. */
  async preview(run: string, given: Workflow | undefined): Promise<ResumePreview> {
    const { state } = await viewRun(this.#ports.store, run);
    if (given !== undefined) assertSameWorkflow(run, state.workflow.name, given);
    return previewResume(state, this.#ports.spool, given);
  }

  /** The state of a run as it is stored, or as it was at an earlier checkpoint, to look at. Throws `RUN_NOT_FOUND`, `RUN_DAMAGED`. */
  async load(run: string, seq?: number): Promise<RunState> {
    return (await viewRun(this.#ports.store, run, seq)).state;
  }

  /**
   * Does something for a run that nobody drives, and writes down what came of it. Throws `RUN_DRIVEN`, `RUN_NOT_FOUND`,
   * `RUN_DAMAGED`, and what the work throws.
   */
  tend(run: string, work: (state: RunState) => Promise<readonly Event[]>): Promise<RunState> {
    return tendRun(this.#ports, run, work).finally(() => this.#ports.spending.expire());
  }

  find(run: string): Promise<RunRecord> {
    return findRun(this.#ports.store, run);
  }

  async verify(run?: string): Promise<RunVerdict[]> {
    return run === undefined ? verifyAllRuns(this.#ports) : [await verifyRun(this.#ports, run)];
  }

  /** Goes back to the last good commit of a damaged run and holds what may have run since. */
  repair(run: string): Promise<Repair> {
    return repairRun(this.#ports, run).finally(() => this.#ports.spending.expire());
  }

  /** Folds the summaries of all runs anew from their journals. */
  async rebuildSummaries(): Promise<void> {
    for (const run of await this.#ports.store.listRunIds()) await rebuildRow(this.#ports.store, run);
  }

  /** Stops all drivers, also those about to begin, so that their runs can be resumed. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const stopped = Array.from(this.#live, (driver) => driver.stop());
    await Promise.allSettled([...stopped, ...this.#drivers.values()]);
    await Promise.allSettled(Array.from(this.#live, (driver) => driver.stop()));
    await this.#backups?.close();
    for (const unwatch of this.#unwatch) unwatch();
  }
}
