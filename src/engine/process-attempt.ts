import { asError, crashPoint, hasCode, type ProcessIdentity } from '../base/index.ts';
import type { AttemptState, RunState, TaskState } from '../kernel/index.ts';
import type { OnInterrupt, Outcome } from '../model/index.ts';
import type { Ending, Exit, SpoolOrder } from '../spool/index.ts';
import { readStopNote, stoppedOutcome, type Attempt, type StopReason } from './attempt.ts';
import { failureOf } from './call-function.ts';
import { contain, containedBy, explainContained } from './contain.ts';
import { findAttempt, lostOutcome, type Found } from './find-attempt.ts';
import { withFingerprints } from './hiding.ts';
import type { ProcessPorts } from './process-ports.ts';
import { isSystemTrouble, throughTrouble } from './system-trouble.ts';
import { journalledOf } from './witnesses.ts';

/** What could not be written to the spool is tried again then. */
const spoolTroubleMs = 5_000;

type Interruption = Extract<Outcome, { type: 'interrupted' }>;

/**
 * Why a process is ended that nobody has asked to stop. `over`: what it has said tells how it ended, or what it waits for,
 * which is better waited for without it. `idle`: it does nothing any more, and why that is thought.
 */
export type Needless = { readonly type: 'over' } | { readonly type: 'idle'; readonly text: string };

/** What is particular to the kind of work that the process does. */
export interface ProcessWork {
  /** `ask`: what has begun is not stopped, but waited for. */
  readonly onInterrupt: OnInterrupt;
  /** Why it does not begin, as how it ends. */
  obstacle?(state: RunState, task: TaskState): Outcome | undefined;
  /** Throws what is then the attempt's failure. `folder`: where the task works. */
  order(state: RunState, task: TaskState, folder: string): SpoolOrder | Promise<SpoolOrder>;
  /** Waits until it may be started beside others of its kind, or there is no use in waiting. */
  turn?(signal: AbortSignal): Promise<void>;
  /** What is known of its program, once it is ordered. */
  program?(): { readonly version?: string };
  /** Reads what it says while it lives. Why it is to be ended, if it is. */
  readAlong?(signal: AbortSignal, process: ProcessIdentity): Promise<Needless | undefined>;
  /** What an exit means; called once, after all that it wrote is there. */
  outcomeOf(exit: Exit): Promise<Outcome>;
  /** It is gone without an exit: what it has said may tell more. */
  outcomeOfLoss?(interruption: Interruption): Promise<Outcome>;
  /** As far as it was read: whether nothing is under way that must not simply be done again. */
  mayPause?(): boolean;
  /** It was stopped, and all it said was read: where that was, and whether it may simply go on from there. */
  placeOf?(interruption: Interruption): Interruption;
}

/**
 * Work in a process of its own, which outlives this one. Everything passes through the spool, so that attaching
 * to what another driver started is the same as following what was started here.
 */
export class ProcessAttempt implements Attempt {
  readonly task: string;
  readonly id: string;
  returned: Promise<void> = Promise.resolve();
  readonly #ports: ProcessPorts;
  readonly #work: ProcessWork;
  /** Ends the waits of this process; the command does not hear of it. */
  readonly #watching = new AbortController();
  /** It is not to begin any more. */
  readonly #stopping = new AbortController();
  #process: ProcessIdentity | undefined;
  /** Also one that an earlier driver had: then it is followed as if nobody had asked, but its end is not its own doing. */
  #stopReason: StopReason | undefined;
  #isStopping = false;
  /** A process may exist, or is about to. */
  #hasBegun = false;
  /** Its exit was seen: nothing that is asked for later changes how it ended. */
  #hasExited = false;
  #isOver = false;
  /** How it ended cannot be recorded at the moment. */
  #isStalled = false;
  /** The driver is to stop: it does not wait for that. */
  #mayBeLeft = false;
  /** It was begun once, and how it stands is not known yet: it may have an exit, which is not changed by what is asked for now. */
  #isSought = false;
  #askedMeanwhile: StopReason | undefined;

  constructor(
    { task, attempt }: { readonly task: TaskState; readonly attempt: AttemptState },
    ports: ProcessPorts,
    makeWork: (attempt: Attempt) => ProcessWork,
  ) {
    this.task = task.address;
    this.id = attempt.id;
    this.#process = attempt.process;
    this.#ports = ports;
    this.#work = makeWork(this);
  }

  begin(state: RunState, task: TaskState): void {
    if (attemptOf(task)?.isSpooled === true) return this.#takeUp();
    this.returned = this.#guard(async () => {
      const placed = await this.#ports.place(this, { state, task });
      if (this.#isOver) return;
      const obstacle = placed.obstacle ?? this.#work.obstacle?.(state, task);
      if (obstacle !== undefined) return this.end(obstacle);
      const own = await this.#work.order(state, task, placed.folder);
      const hidden = [...this.#ports.secrets, ...(own.hidden ?? [])];
      const { createdAt: runCreatedAt } = state;
      const entered = {
        ...(await placed.enter({ ...own, hidden })),
        runCreatedAt,
        journalled: journalledOf(task, placed.place),
      };
      const order = await contain(entered, { ports: this.#ports, state, task, placed });
      if (!(await this.#prepare(order))) return;
      await this.#work.turn?.(AbortSignal.any([this.#watching.signal, this.#stopping.signal]));
      if (!this.#isOver) await this.#spawn(order);
    });
  }

  /** Goes on with what another driver started. */
  attach(found: Found): void {
    this.#hasBegun = true;
    if (found.type === 'alive') this.#process = found.process;
    this.returned = this.#guard(() => (found.type === 'alive' ? this.#follow() : this.#conclude(found)));
  }

  /** It was begun before, which the journal had lost. */
  #takeUp(): void {
    this.#hasBegun = true;
    this.#isSought = true;
    this.returned = this.#guard(async () => {
      const finding = await this.#patiently(() => findAttempt(this.#ports.spool, { id: this.id }));
      this.#isSought = false;
      if (this.#isOver) return;
      if (finding.how !== 'interrupted') {
        this.#ports.recovered(this, finding.how);
        return this.#goOnWith(finding.found);
      }
      const { neverBegan, mayStillRun } = finding.outcome;
      if (neverBegan === true || mayStillRun === true) return this.end(finding.outcome);
      await this.#conclude({ type: 'vanished' });
    });
  }

  #goOnWith(found: Found): Promise<void> {
    this.attach(found);
    if (this.#askedMeanwhile !== undefined) this.stop(this.#askedMeanwhile);
    return this.returned;
  }

  /** What must not be interrupted is waited for, unless it is to be cancelled. */
  stop(reason: StopReason): void {
    if (this.#isOver || this.#isStopping) return;
    if (this.#isSought) this.#askedMeanwhile = reason;
    if (this.#hasExited || this.#isSought) return this.#mayLeaveFor(reason);
    if (reason.type === 'interrupted' && this.#work.onInterrupt === 'ask' && this.#hasBegun) return;
    this.#endFor(reason);
  }

  #mayLeaveFor({ type }: StopReason): void {
    this.#mayBeLeft ||= type === 'interrupted';
    if (this.#isStalled && this.#mayBeLeft) this.#leave();
  }

  #endFor(reason: StopReason): void {
    this.#isStopping = true;
    this.#stopReason = reason;
    this.#stopping.abort();
    if (this.#process !== undefined) this.#endProcess();
  }

  mayPause(): boolean {
    return this.#work.mayPause?.() ?? true;
  }

  letGo(): void {
    this.#isOver = true;
    this.#watching.abort();
  }

  end(outcome: Outcome): void {
    if (this.#isOver) return;
    this.letGo();
    this.#ports.ended(this, outcome);
  }

  /** Whatever goes wrong on the way is the attempt's failure. */
  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      this.end({ type: 'failed', failure: failureOf(thrown) });
    }
  }

  /** True if it may be started. Trouble with the spool is not the command's failure. */
  async #prepare(order: SpoolOrder): Promise<boolean> {
    const { spool, environment } = this.#ports;
    try {
      await spool.prepare(withFingerprints(order, environment), this.#ports.head());
      return true;
    } catch (thrown) {
      // Another driver has taken this run over, and the attempt with it.
      if (hasCode(thrown, 'SPOOL_EXISTS')) this.letGo();
      this.end(this.#putOff(`it could not be started: ${asError(thrown).message}`));
      return false;
    }
  }

  /** What was prepared for it is of no use. If that cannot be removed, it takes room, and no more. */
  async #endUnbegun(outcome: Outcome): Promise<void> {
    await this.#ports.spool.removeUnbegun(this.id).catch(() => {});
    this.end(outcome);
  }

  #putOff(reason: string): Outcome {
    return { type: 'delayed', until: this.#ports.clock.now() + spoolTroubleMs, reason };
  }

  async #spawn(order: SpoolOrder): Promise<void> {
    const { spool } = this.#ports;
    const obstacle = this.#stopReason ?? interruptedBy(this.#ports.heartbeatTrouble());
    if (obstacle !== undefined && (await spool.claim(this.id)))
      return this.#endUnbegun(neverBegan(this.#stopReason ?? obstacle));
    this.#hasBegun = true;
    try {
      this.#process = await spool.start(order);
    } catch (thrown) {
      if (!isSystemTrouble(thrown)) throw thrown;
      return this.#endUnbegun(this.#putOff(asError(thrown).message));
    }
    crashPoint('engine:after-spawn');
    if (this.#isOver) return;
    this.#ports.spawned(this, { process: this.#process, ...this.#work.program?.(), ...containedBy(order) });
    if (this.#stopReason !== undefined) this.#endProcess();
    await this.#follow();
  }

  async #follow(): Promise<void> {
    const { spool } = this.#ports;
    const reading = this.#work.readAlong?.(this.#watching.signal, this.#process!);
    reading
      ?.then((needless) => (needless === undefined ? undefined : this.#endNeedless(needless)))
      .catch((thrown: unknown) => this.#failReading(thrown));
    const ending = await spool.ended(this.id, { process: this.#process!, signal: this.#watching.signal });
    if (ending !== undefined && !this.#isOver) await this.#conclude(ending);
  }

  /** What cannot be read now is read when it has ended. */
  #failReading(thrown: unknown): void {
    if (!isSystemTrouble(thrown)) this.end({ type: 'failed', failure: failureOf(thrown) });
  }

  /** `#follow` sees its end. Whoever comes after us, if we die here, finds the same reason again, or its note. */
  async #endNeedless(needless: Needless): Promise<void> {
    if (this.#isOver || this.#isStopping || this.#hasExited) return;
    crashPoint(`engine:before-end-of-${needless.type}`);
    if (needless.type === 'idle') return this.#endFor(needless);
    const { spool, graceMs } = this.#ports;
    await this.#patiently(() => spool.fence(this.id, { ...fenceOptions(this.#process), graceMs }));
  }

  async #conclude(ending: Ending): Promise<void> {
    const { spool } = this.#ports;
    this.#hasExited = ending.type === 'exited';
    await this.#patiently(async () => {
      // Also a driver that has lost this run in the meantime may have asked it to stop.
      const noted = readStopNote(await spool.stopNote(this.id));
      // It may have been asked here while the note was read: that counts, and must not be undone by there being no note.
      this.#stopReason ??= noted;
      if (ending.type === 'unclaimed') return this.#endUnbegun(this.#notBegun());
      await this.#settle(ending);
    });
  }

  /** Nobody of it may be left, however it ended. */
  async #settle(ending: Extract<Ending, { type: 'exited' | 'vanished' }>): Promise<void> {
    const { spool } = this.#ports;
    const { survivors } = await spool.fence(this.id, fenceOptions(this.#process));
    crashPoint('engine:after-fence');
    if (this.#isOver) return;
    // Nothing of it lives any more that could write an exit: what is seen now stays so.
    const seen = ending.type === 'exited' ? ending : await spool.look(this.id, this.#process);
    await spool.sync(this.id, seen.type === 'exited' ? seen.exit : undefined);
    await this.#ports.save(this);
    crashPoint('engine:after-save');
    const outcome =
      seen.type === 'exited'
        ? await this.#work.outcomeOf(seen.exit)
        : await this.#lost(lostOutcome(survivors, seen));
    const order = await spool.describe(this.id);
    this.end(this.#settled(explainContained(outcome, order)));
  }

  async #lost(outcome: Interruption): Promise<Outcome> {
    if (outcome.mayStillRun === true) return outcome;
    return (await this.#work.outcomeOfLoss?.(outcome)) ?? outcome;
  }

  /** Not at once again: whatever ends the wrapper that early may go on doing so. */
  #notBegun(): Outcome {
    if (this.#stopReason !== undefined) return neverBegan(this.#stopReason);
    return this.#putOff('its wrapper ended before the command began');
  }

  /** Work that was finished in spite of being asked to stop is finished work. */
  #settled(outcome: Outcome): Outcome {
    const reason = this.#stopReason;
    if (reason === undefined || outcome.type === 'succeeded') return outcome;
    const isStillRunning = outcome.type === 'interrupted' && outcome.mayStillRun === true;
    const stopped = stoppedOutcome(reason, { isStillRunning });
    // What was cut off may have taken effect, whoever cut it off.
    return stopped.type === 'interrupted' ? (this.#work.placeOf?.(stopped) ?? stopped) : stopped;
  }

  /** Should we die before its end is committed, whoever harvests it must not take it for a failure. */
  async #noteStop(): Promise<void> {
    try {
      await this.#ports.spool.noteStop(this.id, JSON.stringify(this.#stopReason));
    } catch {
      // On a full disk there is no note; that must not keep it from being stopped.
    }
  }

  #stall(reason: string | undefined): void {
    if (reason === undefined && !this.#isStalled) return;
    this.#isStalled = reason !== undefined;
    this.#ports.stalled(this, reason && `the end of ${this.task} cannot be recorded for now: ${reason}`);
    if (this.#isStalled && this.#mayBeLeft) this.#leave();
  }

  /** Its exit is in the spool, where whoever comes next finds it. */
  #leave(): void {
    this.letGo();
    this.#ports.left(this);
  }

  /** Whatever the system lacks for now is waited for: a command that has begun must not be misjudged for it. */
  #patiently<T>(work: () => Promise<T>): Promise<T> {
    const stalled = (reason: string | undefined): void => this.#stall(reason);
    return throughTrouble({ clock: this.#ports.clock, signal: this.#watching.signal, stalled }, work);
  }

  /** A request first; after the grace an end. `#follow` sees it either way. */
  #endProcess(): void {
    void this.#guard(async () => {
      const { spool, graceMs } = this.#ports;
      await this.#noteStop();
      crashPoint('engine:after-stop-note');
      const { survivors } = await this.#patiently(() =>
        spool.fence(this.id, { ...fenceOptions(this.#process), graceMs }),
      );
      if (survivors.length > 0) this.end(stoppedOutcome(this.#stopReason!, { isStillRunning: true }));
    });
  }
}

function attemptOf({ life }: TaskState): AttemptState | undefined {
  return life.status === 'running' ? life.attempt : undefined;
}

function fenceOptions(process: ProcessIdentity | undefined): { readonly process?: ProcessIdentity } {
  return process === undefined ? {} : { process };
}

/** Making its place may have taken minutes: only what happens now counts. */
function interruptedBy(trouble: string | undefined): StopReason | undefined {
  return trouble === undefined ? undefined : { type: 'interrupted', text: trouble };
}

function neverBegan({ type, text }: StopReason): Outcome {
  if (type === 'cancelled') return { type: 'cancelled', reason: text };
  return { type: 'interrupted', reason: text, graceful: true, neverBegan: true };
}
