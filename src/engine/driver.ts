import { asError, PitonError, randomId } from '../base/index.ts';
import {
  decideCommand,
  decideOutcome,
  fold,
  nextWake,
  plan,
  reasonToStop,
  taskAt,
  type RunState,
  type World,
} from '../kernel/index.ts';
import type { CommandAnswer, Event, InboxCommand, Outcome } from '../model/index.ts';
import { appendUntilDurable, regain } from './append-until-durable.ts';
import { CheckpointBuffer } from './checkpoint-buffer.ts';
import { dropPayloads } from './drop-payloads.ts';
import { FunctionAttempt, type FunctionPorts, type StopReason } from './function-attempt.ts';
import type { Journal } from './journal.ts';
import { Mailbox } from './mailbox.ts';
import type { EnginePorts } from './options.ts';
import type { Program } from './program.ts';
import { tellCommitted, type NodeStates } from './tell-observers.ts';

/** Timers are looked at again at least so often: a sleeping machine or a changed clock must not lose one. */
const longestWaitMs = 30_000;
const roomCheckMs = 1_000;

/** What reaches a driver from outside. */
type Letter =
  | { readonly type: 'outcome'; readonly attempt: FunctionAttempt; readonly outcome: Outcome }
  | { readonly type: 'inbox' }
  | { readonly type: 'lease-lost' }
  | { readonly type: 'checkpoint'; readonly saved: () => void }
  | { readonly type: 'question'; readonly ask: (state: RunState) => void };

type Answers = { readonly id: string; readonly answer: CommandAnswer }[];

/**
 * Drives one run under its lease: takes what has happened, lets the kernel decide what that means, commits it, and only
 * then acts on it. Holds nothing that the journal could not give back.
 */
export class Driver {
  readonly run: string;
  /** Resolves when the run has ended or the driver was stopped; rejects if it cannot go on driving. */
  readonly done: Promise<void>;
  /** Why nothing can be written or started at the moment, if so. */
  stalled: string | undefined;
  readonly #ports: EnginePorts;
  readonly #program: Program;
  readonly #state: RunState;
  readonly #journal: Journal;
  readonly #buffer: CheckpointBuffer;
  readonly #functionPorts: FunctionPorts;
  readonly #mailbox = new Mailbox<Letter>();
  readonly #running = new Map<string, FunctionAttempt>();
  readonly #nodeStates: NodeStates = new Map();
  readonly #over = new AbortController();
  readonly #unanswered = new Set<(error: Error) => void>();
  readonly #committed: () => void;
  readonly #stopping = new AbortController();
  #lacksRoom = false;
  #wakesAt = Infinity;
  #startDriving!: (first: Promise<void>) => void;

  constructor(
    ports: EnginePorts & { committed(): void },
    program: Program,
    { state, journal }: { state: RunState; journal: Journal },
  ) {
    this.run = state.run;
    this.#ports = ports;
    this.#program = program;
    this.#state = state;
    this.#journal = journal;
    this.#committed = () => ports.committed();
    this.#buffer = new CheckpointBuffer(state.workflow.checkpoint);
    this.#functionPorts = {
      program,
      clock: ports.clock,
      graceMs: ports.graceMs,
      maxOutputBytes: ports.maxOutputBytes,
      checkpoint: () => new Promise((saved) => this.#mailbox.put({ type: 'checkpoint', saved })),
      ended: (attempt, outcome) => this.#mailbox.put({ type: 'outcome', attempt, outcome }),
    };
    this.done = new Promise<void>((resolve) => (this.#startDriving = resolve)).finally(() =>
      this.#over.abort(),
    );
    this.done.catch(() => {});
  }

  /** Goes on from a first commit that has just been made, and was asked for at `askedAt`. */
  begin(committed: readonly Event[], askedAt: number): void {
    this.#tell(committed);
    this.#startDriving(this.#drive(committed, askedAt));
  }

  /**
   * Goes on from a journal: `events` come first, then whatever ran when the last driver died is interrupted. A function
   * lives in the driver's process, so it cannot be alive. Resolves when that is durable.
   */
  async recover(events: readonly Event[], { endsPause }: { endsPause: boolean }): Promise<void> {
    this.#add(events);
    const interrupted: Outcome = { type: 'interrupted', reason: 'the process that ran it ended' };
    for (const task of this.#state.tasks.values()) {
      if (task.life.status !== 'running' || task.life.attempt === undefined) continue;
      this.#add(decideOutcome(this.#state, task, { outcome: interrupted, world: this.#world() }));
    }
    const answers = (await this.#ports.store.pendingCommands(this.run)).map((command) =>
      this.#answer(command),
    );
    // After the commands: going on supersedes a pause that was asked for before.
    if (endsPause && this.#state.phase.status === 'paused') this.#add([{ type: 'run.resumed', data: {} }]);
    await this.#advance(answers, 0);
    this.#startDriving(this.#drive([], this.#ports.clock.now()));
  }

  /** A command for this run is in the inbox. */
  notify(): void {
    this.#mailbox.put({ type: 'inbox' });
  }

  leaseLost(token: string): void {
    if (token === this.#journal.lease.token) this.#mailbox.put({ type: 'lease-lost' });
  }

  /** Looks at the state between two transitions. */
  ask<Answer>(question: (state: RunState) => Answer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#over.signal.aborted) return resolve(question(this.#state));
      this.#unanswered.add(reject);
      const ask = (state: RunState): void => {
        this.#unanswered.delete(reject);
        resolve(question(state));
      };
      this.#mailbox.put({ type: 'question', ask });
    });
  }

  /** Starts nothing more, stops what runs, writes that down and lets go of the run. It can be resumed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#stopRunning({ type: 'interrupted', text: 'the driver is stopping' });
    this.#mailbox.poke();
    await this.done;
  }

  async #drive(committed: readonly Event[], askedAt: number): Promise<void> {
    try {
      if (this.#isLate(askedAt)) await this.#keepLease();
      this.#react(committed);
      while (!this.#isOver()) {
        this.#setTimer();
        await this.#mailbox.wait();
        await this.#turn(this.#mailbox.drain());
      }
      if (this.#isStopping()) await this.#ports.store.releaseLease(this.#journal.lease);
      await this.#conclude();
    } catch (thrown) {
      this.#stopRunning({ type: 'interrupted', text: asError(thrown).message });
      for (const reject of this.#unanswered) reject(asError(thrown));
      await this.#ports.store.releaseLease(this.#journal.lease).catch(() => {});
      throw thrown;
    }
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #isOver(): boolean {
    const { status } = this.#state.phase;
    if (status !== 'active' && status !== 'paused') return true;
    return this.#isStopping() && this.#running.size === 0 && this.#buffer.events.length === 0;
  }

  /** One transition: everything that has come in, what it means, made durable, acted upon. */
  async #turn(letters: readonly Letter[]): Promise<void> {
    const has = (type: Letter['type']): boolean => letters.some((letter) => letter.type === type);
    if (has('lease-lost')) await this.#keepLease();
    const commands = has('inbox') ? await this.#ports.store.pendingCommands(this.run) : [];
    const alreadyActedUpon = this.#buffer.events.length;
    for (const letter of letters) if (letter.type === 'outcome') this.#settle(letter.attempt, letter.outcome);
    const answers = commands.map((command) => this.#answer(command));
    if (has('checkpoint') || this.#isStopping()) this.#buffer.force();
    await this.#advance(answers, alreadyActedUpon);
    this.#reply(letters);
  }

  /** Whatever follows is decided, made durable (now or later, as the checkpoint policy says), and acted upon. */
  async #advance(answers: Answers, alreadyActedUpon: number): Promise<void> {
    this.#plan();
    const fresh = this.#buffer.events.slice(alreadyActedUpon);
    if (this.#buffer.isDue(this.#ports.clock.now())) await this.#commit(answers);
    this.#react(fresh);
  }

  #reply(letters: readonly Letter[]): void {
    for (const letter of letters) {
      if (letter.type === 'checkpoint') letter.saved();
      else if (letter.type === 'question') letter.ask(this.#state);
    }
  }

  #settle(attempt: FunctionAttempt, outcome: Outcome): void {
    this.#running.delete(attempt.id);
    const task = taskAt(this.#state, attempt.task);
    if (task.life.status !== 'running' || task.life.attempt?.id !== attempt.id) return;
    this.#add(decideOutcome(this.#state, task, { outcome, world: this.#world() }));
  }

  #answer(command: InboxCommand): Answers[number] {
    const { events, answer } = decideCommand(this.#state, command);
    this.#add(events);
    return { id: command.id, answer };
  }

  #plan(): void {
    this.#buffer.add(plan(this.#state, this.#world(), this.#position()));
  }

  #add(events: readonly Event[]): void {
    const position = this.#position();
    for (const event of events) fold(this.#state, event, position);
    this.#buffer.add(events);
  }

  #position(): { seq: number; at: number } {
    return { seq: this.#journal.head.seq + 1, at: this.#buffer.timeOf(this.#ports.clock.now()) };
  }

  #world(): World {
    const { clock, store, maxOutputBytes } = this.#ports;
    const hasRoom = store.hasRoom();
    if (hasRoom === this.#lacksRoom)
      this.#setStalled(hasRoom ? undefined : `there is too little room for ${store.url}`);
    this.#lacksRoom = !hasRoom;
    return {
      now: clock.now(),
      chance: Math.random,
      mint: randomId,
      evaluator: this.#program.evaluator,
      mayStart: hasRoom && !this.#isStopping(),
      maxOutputBytes,
    };
  }

  async #commit(answers: Answers): Promise<void> {
    const { events } = this.#buffer;
    const isEnd = this.#state.phase.status !== 'active' && this.#state.phase.status !== 'paused';
    const leftOver = { accepted: false, text: `the run has ended: ${this.#state.phase.status}` };
    const startedAt = this.#ports.clock.now();
    await appendUntilDurable(
      {
        ports: this.#ports,
        journal: this.#journal,
        signal: this.#stopping.signal,
        stalled: (reason) => this.#setStalled(reason),
      },
      this.#state,
      { events, extras: { answers, ...(isEnd && { release: { leftOver } }) } },
    );
    this.#buffer.clear();
    this.#tell(events);
    if (this.#isLate(startedAt)) await this.#keepLease();
    if (!isEnd) await this.#journal.snapshotIfDue(this.#state);
  }

  /** A commit took so long that the process may have been stopped meanwhile, or the machine asleep. */
  #isLate(askedAt: number): boolean {
    return this.#ports.clock.now() - askedAt > this.#ports.leaseMs / 3;
  }

  /** Nothing is started on the strength of a lease that may have run out meanwhile. */
  async #keepLease(): Promise<void> {
    const { token, name, expiresAt } = this.#journal.lease;
    const current = await this.#ports.store.findLease(name);
    const isOurs =
      current?.token === token && (current.expiresAt > this.#ports.clock.now() || expiresAt === Infinity);
    if (isOurs || this.#isOver() || (await regain(this.#ports, this.#journal))) return;
    this.#ports.observers.tell({ type: 'lease.lost', run: this.run, at: this.#ports.clock.now() });
    throw new PitonError('LEASE_LOST', `Another process drives run ${this.run} now.`, { run: this.run });
  }

  #setStalled(reason: string | undefined): void {
    if (reason !== undefined && this.stalled === undefined) {
      this.#ports.observers.tell({ type: 'run.stalled', run: this.run, at: this.#ports.clock.now(), reason });
    }
    this.stalled = reason;
  }

  #tell(events: readonly Event[]): void {
    this.#committed();
    tellCommitted(this.#state, events, { observers: this.#ports.observers, nodeStates: this.#nodeStates });
  }

  #react(events: readonly Event[]): void {
    for (const event of events) if (event.type === 'attempt.started') this.#start(event.task, event.attempt);
    if (events.some(({ type }) => type === 'cancel.requested' || type === 'task.failed')) this.#stopDoomed();
  }

  #start(address: string, id: string): void {
    const task = taskAt(this.#state, address);
    if (task.life.status !== 'running' || task.life.attempt?.id !== id) return;
    const attempt = new FunctionAttempt(task, task.life.attempt, this.#functionPorts);
    this.#running.set(id, attempt);
    attempt.begin(this.#state, task, task.life.attempt);
  }

  #stopDoomed(): void {
    for (const attempt of this.#running.values()) {
      const reason = reasonToStop(this.#state, taskAt(this.#state, attempt.task));
      if (reason !== undefined) attempt.stop({ type: 'cancelled', text: reason });
    }
  }

  #stopRunning(reason: StopReason): void {
    for (const attempt of this.#running.values()) attempt.stop(reason);
  }

  /** One timer at a time is enough, as long as it does not come too late. It also keeps the process alive. */
  #setTimer(): void {
    const { clock } = this.#ports;
    const now = clock.now();
    const limit = now + (this.stalled === undefined ? longestWaitMs : roomCheckMs);
    // What is due but must not start yet would wake us again and again.
    const mayStart = this.#state.phase.status === 'active' && !this.#lacksRoom && !this.#isStopping();
    const wake = mayStart ? nextWake(this.#state) : undefined;
    const due = Math.min(wake ?? Infinity, this.#buffer.dueAt ?? Infinity, limit);
    if (due >= this.#wakesAt) return;
    this.#wakesAt = due;
    void clock.sleep(Math.max(due - now, 0), this.#over.signal).then(() => {
      this.#wakesAt = Infinity;
      this.#mailbox.poke();
    });
  }

  async #conclude(): Promise<void> {
    const { phase, workflow } = this.#state;
    if (phase.status === 'succeeded' && !workflow.checkpoint.preserve) {
      await dropPayloads(this.#ports.store, this.#state, this.#journal.head);
    }
  }
}
