/** Drives a workflow through the kernel alone: a scripted world, a clock that is set, a journal, and crashes on request. */
import type { JsonObject } from '../../src/base/index.ts';
import {
  decideCommand,
  decideOutcome,
  decideReopen,
  type Reopening,
  decodeState,
  encodeState,
  fold,
  foldCommit,
  newRunState,
  gateOf,
  nextWake,
  nothingUsed,
  outputOf,
  plan,
  statusOf,
  statusOfTask,
  taskAt,
  variablesOf,
  type RunState,
  type World,
} from '../../src/kernel/index.ts';
import {
  isFinal,
  type Budget,
  type Command,
  type CommandAnswer,
  type Commit,
  type Event,
  type EventOf,
  type EventType,
  type Evaluator,
  type Origin,
  type Outcome,
  type RunStatus,
  type TaskStatus,
  type Variables,
  type Workflow,
} from '../../src/model/index.ts';
import { stubEvaluator, type Closures } from './stub-evaluator.ts';

/** One try that is under way: which task, and how often it has failed and been interrupted so far. */
export interface Try {
  readonly task: string;
  readonly name: string;
  readonly number: number;
  readonly failures: number;
  /** What its expressions see. */
  readonly variables: Variables;
}

export type Script = (given: Try) => Outcome;

export interface SimulationGiven {
  readonly inputs?: JsonObject;
  readonly state?: JsonObject;
  readonly closures?: Closures;
  readonly script?: Script;
  /** Every throw of the dice; in [0, 1). */
  readonly chance?: () => number;
  readonly evaluator?: Evaluator;
  readonly origin?: Origin;
  /** Locks that other runs have, and who. */
  readonly locked?: ReadonlyMap<string, string>;
}

export const done: Outcome = { type: 'succeeded', output: null };
export const interrupted = { type: 'interrupted', reason: 'the process ended' } as const satisfies Outcome;

export function succeededWith(output: JsonObject | string | number): Outcome {
  return { type: 'succeeded', output };
}

export function failedWith(code = 'BROKEN', retryable = true): Outcome {
  return { type: 'failed', failure: { code, message: `it is ${code.toLowerCase()}`, retryable } };
}

/** Of the kind that says something of a resource. */
export const unreachable = failedWith('ECONNRESET');

export function simulate(workflow: Workflow, given: SimulationGiven = {}): Simulation {
  const { inputs = {}, state, origin } = given;
  const created: Event = {
    type: 'run.created',
    data: {
      workflow,
      inputs,
      ...(state !== undefined && { state }),
      ...(origin !== undefined && { origin }),
    },
  };
  const simulation = new Simulation(given, created);
  simulation.transition();
  return simulation;
}

export class Simulation {
  readonly journal: Commit[] = [];
  state: RunState;
  now = 1_000_000;
  /** false: the driver may start nothing, as when the disk is full. */
  mayStart = true;
  /** What other runs have used today. */
  elsewhere = nothingUsed;
  budgetPerDay: Budget | undefined;
  readonly locked: Map<string, string>;
  readonly evaluator: Evaluator;
  readonly #script: Script;
  readonly #chance: () => number;
  #pending: Event[];
  #minted = 0;
  #commands = 0;

  constructor(given: SimulationGiven, created: Event) {
    this.evaluator = given.evaluator ?? stubEvaluator(given.closures);
    this.#script = given.script ?? (() => done);
    this.locked = new Map(given.locked);
    this.#chance = given.chance ?? (() => 0.5);
    this.#pending = [created];
    this.state = newRunState(this.#commit([created]));
    fold(this.state, created, this.#position());
  }

  get status(): RunStatus {
    return statusOf(this.state);
  }

  get isOver(): boolean {
    return isFinal(statusOf(this.state));
  }

  get world(): World {
    return {
      now: this.now,
      chance: this.#chance,
      mint: () => `try-${++this.#minted}`,
      mintSession: () => undefined,
      redact: String,
      // Minutes of a day in the simulation are minutes since the beginning of its time.
      afterQuietHours: (at, { from, to }) => (at >= from * 60_000 && at < to * 60_000 ? to * 60_000 : at),
      today: { day: 'today', endsAt: 90_000_000, elsewhere: this.elsewhere },
      ...(this.budgetPerDay !== undefined && { budgetPerDay: this.budgetPerDay }),
      hasAgent: () => true,
      lockedBy: (lock) => this.locked.get(lock),
      evaluator: this.evaluator,
      mayStart: this.mayStart,
      maxOutputBytes: 1_000_000_000,
    };
  }

  /** Addresses of the tasks of which an attempt is under way, in the order of creation. */
  get running(): string[] {
    const found = [...this.state.tasks.values()].filter(
      ({ life }) => life.status === 'running' && life.attempt !== undefined,
    );
    return found.map(({ address }) => address);
  }

  /** Status by address. */
  get statuses(): Record<string, TaskStatus> {
    return Object.fromEntries(
      [...this.state.tasks.values()].map((task) => [task.address, statusOfTask(task)]),
    );
  }

  get events(): Event[] {
    return this.journal.flatMap(({ events }) => events);
  }

  all<Type extends EventType>(type: Type): EventOf<Type>[] {
    return this.events.filter((event): event is EventOf<Type> => event.type === type);
  }

  statusOf(address: string): TaskStatus {
    return statusOfTask(taskAt(this.state, address));
  }

  outputOf(address: string): unknown {
    return outputOf(this.state, taskAt(this.state, address));
  }

  /** One transition: what is decided, folded, then all that follows from it, in one commit. */
  transition(...decisions: readonly (() => readonly Event[])[]): Event[] {
    const position = this.#position();
    const events = this.#pending;
    this.#pending = [];
    for (const decide of decisions) {
      for (const event of decide()) {
        fold(this.state, event, position);
        events.push(event);
      }
    }
    for (const event of plan(this.state, this.world, position)) events.push(event);
    if (events.length > 0) this.journal.push(this.#commit(events));
    return events;
  }

  /** The attempt of that task ends: as the script says, or otherwise if told so. */
  end(address: string, outcome?: Outcome): Event[] {
    return this.transition(this.#ending(address, outcome ?? this.#script(this.#tryOf(address))));
  }

  #tryOf(address: string): Try {
    const task = taskAt(this.state, address);
    const { attempts: number, spec } = task;
    const { failures } = task.tally;
    return { task: address, name: spec.name, number, failures, variables: variablesOf(this.state, task) };
  }

  #ending(address: string, outcome: Outcome): () => Event[] {
    return () => decideOutcome(this.state, taskAt(this.state, address), { outcome, world: this.world });
  }

  command(command: Command): CommandAnswer {
    let given: CommandAnswer | undefined;
    const id = `command-${++this.#commands}`;
    this.transition(() => {
      const inbox = { id, run: this.state.run, at: this.now, command };
      const { events, answer } = decideCommand(this.state, inbox, { world: this.world });
      given = answer;
      return events;
    });
    return given!;
  }

  /** Settled tasks are to run again, and whatever depends on them. Gives the refusal, if it is one. */
  reopen(...addresses: string[]): string | undefined {
    return this.takeUp({ again: addresses, rerunSucceeded: true });
  }

  takeUp(wish: Reopening): string | undefined {
    const decided = decideReopen(this.state, wish);
    if ('refusal' in decided) return decided.refusal;
    this.transition(() => decided.events);
    return undefined;
  }

  /** A person decides about a task that asks. */
  decide(type: 'approve' | 'reject', task: string, comment?: string): CommandAnswer {
    const found = this.state.tasks.get(task);
    const gate = found && gateOf(found.life)?.gate;
    return this.command({ type, task, gate: gate ?? 'none', ...(comment !== undefined && { comment }) });
  }

  /** A person agrees to all that is held. */
  releaseHeld(): void {
    for (const [task, status] of Object.entries(this.statuses)) {
      if (status !== 'held') continue;
      if (!this.decide('approve', task).accepted) this.command({ type: 'retry', task });
    }
  }

  /** Lets time pass until the next timer is due. False if there is none. */
  wake(): boolean {
    const due = nextWake(this.state);
    if (due === undefined) return false;
    this.now = Math.max(this.now, due);
    this.transition();
    return true;
  }

  /** Ends attempts, in the order that `choose` likes, and lets time pass, until nothing more happens by itself. */
  drain(choose: (count: number) => number = () => 0): this {
    for (let steps = 0; !this.isOver; steps++) {
      if (steps > 100_000) throw new Error('the run does not come to an end');
      const { running } = this;
      if (running.length > 0) this.end(running[choose(running.length)]!);
      else if (this.status === 'paused' || !this.wake()) return this;
    }
    return this;
  }

  /** The process dies; another one folds the journal (as far as it survived) and interrupts what was under way. */
  crash({ seq = this.journal.length, snapshot = false }: { seq?: number; snapshot?: boolean } = {}): this {
    this.journal.length = seq;
    const folded = this.replayed();
    this.state = snapshot ? decodeState(encodeState(folded)) : folded;
    this.transition(...this.running.map((address) => this.#ending(address, interrupted)));
    return this;
  }

  /** The state as the journal alone gives it. */
  replayed(): RunState {
    let state: RunState | undefined;
    for (const commit of this.journal)
      state = foldCommit(state, JSON.parse(JSON.stringify(commit)) as Commit);
    return state!;
  }

  #position(): { seq: number; at: number } {
    return { seq: this.journal.length + 1, at: this.now };
  }

  #commit(events: readonly Event[]): Commit {
    return { run: 'run', ...this.#position(), epoch: 1, version: 1, events };
  }
}
