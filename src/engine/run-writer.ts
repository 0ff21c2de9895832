import { crashPoint, hasCode, PitonError } from '../base/index.ts';
import { fold, plan, type RunState, type World } from '../kernel/index.ts';
import { endedText, type CheckpointPolicy, type CommandAnswer, type Event } from '../model/index.ts';
import type { JournalHead } from '../spool/index.ts';
import { findLease } from '../store/index.ts';
import { CheckpointBuffer, type CheckpointCause } from './checkpoint-buffer.ts';
import type { ElsewherePorts } from './elsewhere.ts';
import type { Journal } from './journal.ts';
import { isPassing, patiently, type Patience } from './patience.ts';
import { regainLease } from './take-run-lease.ts';
import type { Recorder } from './tell-observers.ts';

export type Answers = readonly { readonly id: string; readonly answer: CommandAnswer }[];

/** What a driver goes on with. */
export interface Course {
  readonly state: RunState;
  readonly journal: Journal;
  readonly recorder: Recorder;
}

export interface WriterPorts extends ElsewherePorts {
  committed(): void;
  /** Of a run that has ended: nothing is left to be done for it. */
  mayRelease(state: RunState): boolean;
}

/** The state of a run under its driver, and its way into the journal. */
export class RunWriter {
  readonly state: RunState;
  readonly #ports: WriterPorts;
  #isReleased = false;
  #regaining: Promise<unknown> = Promise.resolve();
  readonly #patience: Patience;
  readonly #journal: Journal;
  readonly #buffer: CheckpointBuffer;
  readonly #recorder: Recorder;

  constructor(
    ports: WriterPorts,
    { state, journal, recorder, policy }: Course & { readonly policy: CheckpointPolicy },
    patience: Patience,
  ) {
    this.state = state;
    this.#ports = ports;
    this.#patience = patience;
    this.#journal = journal;
    this.#buffer = new CheckpointBuffer(policy);
    this.#recorder = recorder;
  }

  get journal(): Journal {
    return this.#journal;
  }

  /** Of the journal; undefined where it does not outlive us. */
  get head(): JournalHead | undefined {
    return this.#ports.store.durability === 'none' ? undefined : this.#journal.head;
  }

  /** Outside of the journal. On a disk that is full it is not; then only the journal knows. */
  async recordHead(): Promise<void> {
    const { head } = this;
    if (head !== undefined) await this.#ports.spool.heads.raise(this.state.run, head).catch(() => {});
    crashPoint('engine:after-raise');
  }

  /** What has happened and is not durable yet. */
  get buffered(): readonly Event[] {
    return this.#buffer.events;
  }

  /** When time alone makes a commit due. */
  get dueAt(): number | undefined {
    return this.#buffer.dueAt;
  }

  /** The lease was given back with the last commit. */
  get isReleased(): boolean {
    return this.#isReleased;
  }

  get hasEnded(): boolean {
    const { status } = this.state.phase;
    return status !== 'active' && status !== 'paused';
  }

  /** Where the next commit will stand. */
  get position(): { readonly seq: number; readonly at: number } {
    return { seq: this.#journal.head.seq + 1, at: this.#buffer.timeOf(this.#ports.clock.now()) };
  }

  /** Folds events, which go into the next commit. */
  add(events: readonly Event[]): void {
    if (events.length === 0) return;
    const { position } = this;
    for (const event of events) fold(this.state, event, position);
    this.#recorder.note(this.state, events);
    this.#buffer.add(events);
  }

  /** Lets the kernel decide what should happen next; that goes into the next commit too. */
  plan(world: World): void {
    const folded = (event: Event): void => this.#recorder.note(this.state, [event]);
    this.#buffer.add(plan(this.state, world, { ...this.position, folded }));
  }

  /** The next `save` writes, whatever the policy. */
  insist(cause: CheckpointCause): void {
    this.#buffer.force(cause);
  }

  /** Writes what is buffered, if that is due. True if it did. */
  async saveIfDue(answers: Answers): Promise<boolean> {
    if (!this.#buffer.isDue(this.#ports.clock.now())) return false;
    const { events, cause } = this.#buffer;
    const isLast = this.hasEnded && this.#ports.mayRelease(this.state);
    const release = isLast && { release: { leftOver: endedAnswer(this.state) } };
    const askedAt = this.#ports.clock.now();
    await patiently(this.#patience, () => this.#append(events, { answers, ...release }));
    this.#buffer.clear();
    this.#isReleased = isLast;
    this.tell(events, cause);
    if (this.isLate(askedAt)) await this.keepLease();
    if (!this.hasEnded && this.#journal.isSnapshotDue) await this.#snapshot();
    return true;
  }

  async #append(events: readonly Event[], extras: Parameters<Journal['append']>[2]): Promise<void> {
    try {
      await this.#journal.append(this.state, events, extras);
    } catch (thrown) {
      if (!hasCode(thrown, 'LEASE_LOST') || !(await this.#regain())) throw thrown;
      await this.#journal.append(this.state, events, extras);
    }
  }

  /** When the run is let go of. */
  async saveLastSnapshot(): Promise<void> {
    if (this.buffered.length > 0) return;
    try {
      await this.#journal.saveLastSnapshot(this.state);
    } catch (thrown) {
      // How it ended is durable, and remains true. What is wrong with the store, whoever uses it next is told.
      if (!(thrown instanceof PitonError)) throw thrown;
    }
  }

  /** Best effort: a snapshot only saves work. */
  async #snapshot(): Promise<void> {
    try {
      await this.#journal.saveSnapshot(this.state);
    } catch (thrown) {
      if (!isPassing(thrown)) throw thrown;
    }
  }

  /** A commit took so long that the process may have been stopped meanwhile, or the machine asleep. */
  isLate(askedAt: number): boolean {
    return this.#ports.clock.now() - askedAt > this.#ports.leaseMs / 3;
  }

  /** Nothing is started on the strength of a lease that may have run out meanwhile. Throws `LEASE_LOST`. */
  async keepLease(): Promise<void> {
    const isKept = await patiently(
      this.#patience,
      async () => (await this.#isHeld()) || (await this.#regain()),
    );
    if (isKept || (this.hasEnded && this.buffered.length === 0)) return;
    const { run } = this.state;
    this.#ports.observers.tell({ type: 'lease.lost', run, at: this.#ports.clock.now() });
    throw this.#lost();
  }

  #lost(): PitonError {
    const { run } = this.state;
    return new PitonError('LEASE_LOST', `Another process drives run ${run} now.`, { run });
  }

  /** Cheap enough to be asked before every change outside of the store. Throws `LEASE_LOST`. */
  async assertNotReplaced(): Promise<void> {
    if (await this.isReplaced()) throw this.#lost();
  }

  /** Another has the lease, as far as that can be told. */
  async isReplaced(): Promise<boolean> {
    const { name, token: before } = this.#journal.lease;
    const current = await findLease(this.#ports.store, name).catch(() => undefined);
    if (current === undefined || current.token === before) return false;
    // After a sleep it may be us who take it anew, at this very moment.
    await this.#regaining;
    return current.token !== this.#journal.lease.token;
  }

  async #isHeld(): Promise<boolean> {
    const { token, name } = this.#journal.lease;
    const current = await findLease(this.#ports.store, name);
    return current?.token === token && !current.isExpired;
  }

  #regain(): Promise<boolean> {
    const regaining = this.#takeAnew();
    this.#regaining = regaining.catch(() => undefined);
    return regaining;
  }

  async #takeAnew(): Promise<boolean> {
    const lease = await regainLease(this.#ports, this.state.run, this.#journal.lease);
    if (lease !== undefined) this.#journal.lease = lease;
    return lease !== undefined;
  }

  /** To be called when they are durable, and not before. */
  tell(events: readonly Event[], cause: CheckpointCause): void {
    this.#ports.spending.note(this.state);
    this.#ports.committed();
    this.#recorder.tell(this.state, events, cause);
  }
}

function endedAnswer({ phase }: RunState): CommandAnswer {
  return { accepted: false, text: endedText(phase.status) };
}
