import { asError, PitonError } from '../base/index.ts';
import { decideCommand, nextWake, taskAt, type RunState, type World } from '../kernel/index.ts';
import type { Event } from '../model/index.ts';
import type { Attempts } from './attempts.ts';
import { mustBeCertain, mustBeWitnessed } from './certainty.ts';
import { ClockWatch } from './clock-watch.ts';
import { dropPayloads } from './drop-payloads.ts';
import { Elsewhere, type ElsewherePorts } from './elsewhere.ts';
import { Leftovers } from './end-leftovers.ts';
import { withOutputProblems, type AskedCommand } from './given-outputs.ts';
import { Hands } from './hands.ts';
import type { Letter } from './letter.ts';
import { Mailbox } from './mailbox.ts';
import { attemptEvents, cleanedEvents, namedEvents } from './attempt-events.ts';
import { makeWorld } from './make-world.ts';
import { Unanswered } from './unanswered.ts';
import { longestWait, WakeTimer } from './wake-timer.ts';
import { whileDriving } from './while-driving.ts';
import { isPassing, patiently, type Patience } from './patience.ts';
import type { Program } from './program.ts';
import { removeSucceeded } from './remove-succeeded.ts';
import { recoverAttempts } from './recover-attempts.ts';
import { Stall } from './stall.ts';
import { throughTrouble } from './system-trouble.ts';
import { RunWriter, type Answers, type Course } from './run-writer.ts';

type Asked = Extract<Letter, { readonly type: 'checkpoint' }>;

/**
 * Drives one run under its lease: takes what has happened, lets the kernel decide what that means, commits it, and only
 * then acts on it. Holds nothing that the journal could not give back.
 */
export class Driver {
  readonly run: string;
  /** Resolves when the run has ended or the driver was stopped; rejects if it cannot go on driving. */
  readonly done: Promise<void>;
  readonly #ports: ElsewherePorts;
  readonly #program: Program;
  readonly #writer: RunWriter;
  readonly #patience: Patience;
  readonly #clockWatch: ClockWatch;
  readonly #hands: Hands;
  readonly #attempts: Attempts;
  readonly #elsewhere: Elsewhere;
  readonly #leftovers: Leftovers;
  readonly #mailbox = new Mailbox<Letter>();
  readonly #unanswered = new Unanswered();
  readonly #stopping = new AbortController();
  #isOver = false;
  readonly #stall: Stall;
  readonly #timer: WakeTimer;
  #startDriving!: (driving: Promise<void>) => void;

  constructor(ports: ElsewherePorts & { committed(): void }, program: Program, course: Course) {
    const { clock } = ports;
    this.run = course.state.run;
    this.#ports = ports;
    this.#program = program;
    this.#stall = new Stall(ports, this.run);
    this.#patience = {
      clock,
      signal: this.#stopping.signal,
      stalled: (reason) => this.#stall.writing(reason),
    };
    const { checkpoint: policy } = program.workflow;
    const mayRelease = (state: RunState): boolean => !this.#hands.sweeper.isNeeded(state);
    this.#writer = new RunWriter({ ...ports, mayRelease }, { ...course, policy }, this.#patience);
    this.#clockWatch = new ClockWatch(clock, course.state.at);
    this.#timer = new WakeTimer(clock, () => this.#mailbox.poke());
    this.#hands = new Hands({
      ...ports,
      ...whileDriving(ports, () => this.#writer.assertNotReplaced()),
      program,
      state: () => this.#writer.state,
      checkpoint: (task, name) => this.#askForCheckpoint(task, name),
      head: () => this.#writer.head,
      elsewhere: () => this.#elsewhere.used,
      put: (letter) => this.#mailbox.put(letter),
      stalled: ({ id }, reason) => this.#stall.ending(id, reason),
    });
    this.#attempts = this.#hands.attempts;
    this.#leftovers = new Leftovers(ports.spool);
    this.#elsewhere = new Elsewhere(ports, program.workflow, this.#patience);
    this.done = new Promise<void>((resolve) => (this.#startDriving = resolve));
    this.done.catch(() => {});
  }

  /** Why nothing can be written or started at the moment, if so. */
  get stalled(): string | undefined {
    return this.#stall.reason;
  }

  /** It has let go of the run, or is about to. */
  get isOver(): boolean {
    return this.#isOver || this.#isStopping();
  }

  get workflow(): string {
    return this.#writer.state.workflow.name;
  }

  /** Goes on from a first commit that has just been made, and was asked for at `askedAt`. */
  begin(committed: readonly Event[], askedAt: number): void {
    this.#writer.tell(committed, { cause: 'forced' });
    this.#startDriving(this.#drive(committed, askedAt));
  }

  /**
   * Goes on from a journal: `events` come first, then what becomes of whatever was under way. A command may live, or
   * have left its result; a function lived in the driver's process, so it is interrupted. Resolves when that is durable.
   */
  async recover(events: readonly Event[], options: { readonly endsPause: boolean }): Promise<void> {
    try {
      await this.#recover(events, options);
    } catch (thrown) {
      this.#isOver = true;
      this.#startDriving(Promise.reject(asError(thrown)));
      throw thrown;
    }
    this.#startDriving(this.#drive([], this.#ports.clock.now()));
  }

  async #recover(events: readonly Event[], { endsPause }: { readonly endsPause: boolean }): Promise<void> {
    const { state } = this.#writer;
    this.#writer.add(events);
    const attached = await recoverAttempts(this.#writer, this.#ports.spool, () => this.#world());
    const answers = (await this.#pendingCommands()).map((asked) => this.#answer(asked));
    this.#writer.add(await this.#elsewhere.look(this.#writer.state));
    // After the commands: going on supersedes a pause that was asked for before.
    if (endsPause && state.phase.status === 'paused') this.#writer.add([{ type: 'run.resumed', data: {} }]);
    await this.#advance(answers, 0);
    for (const { task, found } of attached) this.#hands.attach(task, found);
    this.#hands.sweeper.sweepAll(state);
    // What was asked for before they were attached holds for them too.
    this.#attempts.stopDoomed(state);
    for (const { task } of attached)
      if (task.conversation.news?.isUrgent === true) this.#stopToTell(task.address);
    this.#attempts.stopSpending(state, this.#world());
    if (this.#isStopping()) this.#stopAttempts();
  }

  /** A command for this run is in the inbox. */
  notify(): void {
    this.#mailbox.put({ type: 'inbox' });
  }

  /** Something has changed that is looked at in each transition. */
  wake(): void {
    this.#mailbox.poke();
  }

  leaseLost(token: string): void {
    if (token === this.#writer.journal.lease.token) this.#mailbox.put({ type: 'lease-lost' });
  }

  /** Looks at the state between two transitions. */
  async ask<Answer>(question: (state: RunState) => Answer): Promise<Answer> {
    if (this.#isOver) return question(this.#writer.state);
    return this.#unanswered.wait((answer: (given: Answer) => void) =>
      this.#mailbox.put({ type: 'question', ask: (state) => answer(question(state)) }),
    );
  }

  async #askForCheckpoint(task: string, name: string | undefined): Promise<void> {
    if (this.#isOver) throw new PitonError('STOPPED', `Run ${this.run} is not driven any more.`);
    await this.#unanswered.wait((saved: (given: void) => void) =>
      this.#mailbox.put({ type: 'checkpoint', task, saved, ...(name !== undefined && { name }) }),
    );
  }

  /** Starts nothing more, stops what runs, writes that down and lets go of the run. It can be resumed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    // What another driver has adopted meanwhile is not ours to end.
    if (await this.#writer.isReplaced()) this.#mailbox.put({ type: 'lease-lost' });
    else this.#stopAttempts();
    this.#mailbox.poke();
    await this.done;
  }

  #stopAttempts(): void {
    this.#attempts.stopAll({ type: 'interrupted', text: 'the driver was stopped' });
  }

  async #drive(committed: readonly Event[], askedAt: number): Promise<void> {
    try {
      this.#world();
      if (this.#writer.isLate(askedAt)) await this.#writer.keepLease();
      this.#react(committed);
      while (!this.#mayEnd()) {
        this.#setTimer();
        await this.#mailbox.wait();
        await this.#turn(this.#mailbox.drain());
      }
      await this.#leave();
    } catch (thrown) {
      this.#fail(asError(thrown));
      throw thrown;
    } finally {
      this.#timer.cancel();
    }
  }

  #mayEnd(): boolean {
    if (this.#writer.buffered.length > 0) return false;
    if (this.#isStopping() && this.#attempts.isEmpty) return true;
    return this.#writer.hasEnded && !this.#hands.sweeper.isNeeded(this.#writer.state);
  }

  /** The run has ended, or we were asked to let go of it. */
  async #leave(): Promise<void> {
    await this.#hands.sweeper.stop();
    // A place that was being cleaned until now: without a word, whoever comes next would take it for lost.
    const letters = this.#mailbox.drain();
    if (letters.some(({ type }) => type === 'cleaned')) await this.#turn(letters);
    this.#isOver = true;
    this.#reply([...letters, ...this.#mailbox.drain()]);
    const { state, journal, hasEnded, isReleased } = this.#writer;
    if (!isReleased) await this.#ports.store.releaseLease(journal.lease);
    const { preserve } = state.workflow.checkpoint;
    const hasSucceeded = hasEnded && state.phase.status === 'succeeded';
    if (!hasSucceeded || preserve === true) return this.#writer.saveLastSnapshot();
    try {
      if (preserve === 'remove-on-success') await removeSucceeded(this.#ports, state);
      else await dropPayloads(this.#ports.store, state, journal.head);
    } catch (thrown) {
      if (!isPassing(thrown)) throw thrown;
    }
  }

  /** Nobody may go on with the run before what runs here has ended: until then its lease is kept. */
  #fail(error: Error): void {
    this.#isOver = true;
    this.#unanswered.refuse(error);
    const { store } = this.#ports;
    void this.#hands
      .letGo({ type: 'interrupted', text: error.message })
      .then(() => store.releaseLease(this.#writer.journal.lease))
      .catch(() => {});
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** One transition: everything that has come in, what it means, made durable, acted upon. */
  async #turn(letters: readonly Letter[]): Promise<void> {
    const has = (type: Letter['type']): boolean => letters.some((letter) => letter.type === type);
    // Nobody else notices that it has run out while no thread renews it.
    const isUnattended = this.#ports.heartbeatTrouble() !== undefined;
    if (has('lease-lost') || isUnattended) await this.#writer.keepLease();
    const commands = has('inbox') ? await this.#pendingCommands() : [];
    this.#writer.add(await this.#elsewhere.look(this.#writer.state));
    const alreadyActedUpon = this.#writer.buffered.length;
    this.#writer.add(this.#clockWatch.look());
    for (const letter of letters) this.#take(letter);
    const answers = commands.map((asked) => this.#answer(asked));
    const asked = letters.find(({ type }) => type === 'checkpoint') as Asked | undefined;
    if (asked !== undefined) this.#writer.insist({ cause: 'manual', task: asked.task });
    if (this.#isStopping() || this.#writer.hasEnded) this.#writer.insist({ cause: 'forced' });
    await this.#advance(answers, alreadyActedUpon);
    this.#reply(letters);
  }

  /** Whatever follows is decided, made durable (now or later, as the checkpoint policy says), and acted upon. */
  async #advance(answers: Answers, alreadyActedUpon: number): Promise<void> {
    const { state } = this.#writer;
    this.#writer.plan(this.#world());
    await throughTrouble(this.#patience, () => this.#leftovers.end(this.#writer));
    const fresh = this.#writer.buffered.slice(alreadyActedUpon);
    const certain = mustBeCertain(state, fresh);
    if (certain !== undefined) this.#writer.insist({ cause: 'forced', task: certain });
    const isSaved = await this.#writer.saveIfDue(answers);
    const hasStarts = fresh.some(({ type }) => type === 'attempt.started');
    if (!isSaved && hasStarts) await this.#writer.keepLease();
    if (isSaved && mustBeWitnessed(state, fresh)) await this.#writer.recordHead();
    this.#react(fresh);
  }

  #reply(letters: readonly Letter[]): void {
    for (const letter of letters) {
      if (letter.type === 'checkpoint') letter.saved();
      // It may have been answered before: an earlier attempt had asked it.
      else if (letter.type === 'asks') this.#attempts.learn(taskAt(this.#writer.state, letter.attempt.task));
      else if (letter.type === 'question') letter.ask(this.#writer.state);
    }
  }

  #take(letter: Letter): void {
    if (letter.type === 'checkpoint') this.#writer.add(namedEvents(letter));
    if (letter.type === 'cleaned') this.#writer.add(cleanedEvents(letter, this.#writer.state));
    if (!('attempt' in letter)) return;
    const { attempt } = letter;
    if (letter.type === 'outcome' || letter.type === 'left') this.#attempts.forget(attempt);
    if (letter.type === 'left') return;
    const task = taskAt(this.#writer.state, attempt.task);
    if (task.life.status !== 'running' || task.life.attempt?.id !== attempt.id) return;
    this.#writer.add(attemptEvents(letter, task, { state: this.#writer.state, world: this.#world() }));
  }

  async #pendingCommands(): Promise<readonly AskedCommand[]> {
    const commands = await patiently(this.#patience, () => this.#ports.store.pendingCommands(this.run));
    return withOutputProblems(this.#writer.state, commands, { ...this.#ports, program: this.#program });
  }

  #answer({ command, outputProblem }: AskedCommand): Answers[number] {
    const setting = { world: this.#world(), outputProblem };
    const { events, answer } = decideCommand(this.#writer.state, command, setting);
    this.#writer.add(events);
    return { id: command.id, answer };
  }

  #world(): World {
    return makeWorld(this.#ports, {
      evaluator: this.#program.evaluator,
      workflow: this.#program.workflow,
      mayStart: this.#stall.look() && !this.#isStopping(),
      elsewhere: this.#elsewhere.used,
      locked: this.#elsewhere.locked,
    });
  }

  #react(events: readonly Event[]): void {
    const { state } = this.#writer;
    for (const event of events) {
      if (event.type === 'attempt.started') this.#start(event.task, event.attempt);
      if (event.type === 'gate.decided') this.#attempts.learn(taskAt(state, event.task));
      if (event.type === 'message.added' && event.data.now === true) this.#stopToTell(event.task);
    }
    this.#hands.sweeper.react(state, events);
    this.#attempts.react(state, events, () => this.#world());
  }

  #stopToTell(address: string): void {
    this.#attempts.stop(address, { type: 'interrupted', text: 'a person has something to say' });
  }

  #start(address: string, id: string): void {
    const { state } = this.#writer;
    const task = taskAt(state, address);
    if (task.life.status !== 'running' || task.life.attempt?.id !== id) return;
    const stopped = this.#isStopping() ? 'the driver was stopped' : this.#ports.heartbeatTrouble();
    this.#attempts.start(state, task, stopped);
    if (this.#isStopping()) this.#stopAttempts();
  }

  #setTimer(): void {
    const isStalled = this.stalled !== undefined;
    const limit = this.#ports.clock.now() + longestWait(this.#writer.state, isStalled);
    // What is due but must not start yet would wake us again and again.
    const mayStart = this.#stall.mayStart && !this.#isStopping();
    const wake = mayStart ? nextWake(this.#writer.state) : undefined;
    this.#timer.setFor(Math.min(wake ?? Infinity, this.#writer.dueAt ?? Infinity, limit));
  }
}
