import { taskAt, type RunState, type TaskState } from '../kernel/index.ts';
import type { Lease, Outcome, Used } from '../model/index.ts';
import type { JournalHead } from '../spool/index.ts';
import type { Attempt, StopReason } from './attempt.ts';
import { Attempts } from './attempts.ts';
import type { Letter } from './letter.ts';

import type { EnginePorts } from './options.ts';
import { asItIs, placeTask, type Placed } from './placing.ts';
import type { Found } from './find-attempt.ts';
import type { Program } from './program.ts';
import { releaseLocks, takeLocks } from './repository-locks.ts';
import { Saver } from './saver.ts';
import { Sweeper } from './sweeper.ts';
import type { DrivenPlaces } from './while-driving.ts';

export interface HandsPorts extends Omit<EnginePorts, keyof DrivenPlaces>, DrivenPlaces {
  readonly program: Program;
  state(): RunState;
  /** What agents have used today in other runs. */
  elsewhere(): Used;
  /** Asked for by a function of that task. Resolves when all that has settled so far is durable. */
  checkpoint(task: string, name: string | undefined): Promise<void>;
  /** Of the journal; undefined where it does not outlive us. */
  head(): JournalHead | undefined;
  heartbeatTrouble(): string | undefined;
  put(letter: Letter): void;
  stalled(attempt: Attempt, reason: string | undefined): void;
}

/** After so long a lock that another had is tried again. */
const lockPatienceMs = 5_000;

/** What a driver acts with: the attempts under way, their locks, and the places that are saved and cleaned up. */
export class Hands {
  readonly attempts: Attempts;
  readonly sweeper: Sweeper;
  readonly #ports: HandsPorts;
  readonly #saver: Saver;
  /** By attempt; also while they are being taken: an attempt may end before. */
  readonly #locks = new Map<string, Promise<readonly Lease[]>>();

  constructor(ports: HandsPorts) {
    const { put, workspaces, upkeep, cleanup, clock } = ports;
    this.#ports = ports;
    this.sweeper = new Sweeper({
      upkeep,
      cleanup,
      cleaned: (place, cleaned) => put({ type: 'cleaned', place, cleaned }),
    });
    this.#saver = new Saver({
      workspaces,
      clock,
      find: (attempt) => this.#find(attempt),
      saved: (attempt, saved) => put({ type: 'saved', attempt, saved }),
    });
    this.attempts = new Attempts({
      ...ports,
      place: (attempt, given) => this.#place(attempt, given),
      save: (attempt) => this.#saver.final(attempt),
      boundary: (attempt, label) => this.#saver.boundary(attempt, label),
      transcript: (attempt, part) => put({ type: 'transcript', attempt, part }),
      asks: (attempt, question) => put({ type: 'asks', attempt, question }),
      spawned: (attempt, found) => put({ type: 'spawned', attempt, ...found }),
      recovered: (attempt, how) => put({ type: 'recovered', attempt, how }),
      ended: (attempt, outcome) => this.#end(attempt, outcome),
      left: (attempt) => put({ type: 'left', attempt }),
    });
  }

  /** Goes on with a process that another driver began, under the locks that it began with. */
  attach(task: TaskState, found: Found): void {
    const { life } = task;
    if (life.status === 'running') void this.#lock(life.attempt!.id, task).catch(() => {});
    this.attempts.attach(task, found);
  }

  /** The driver cannot go on. Resolves when nothing of it is at work any more. */
  async letGo(reason: StopReason): Promise<void> {
    await Promise.all([this.attempts.letGo(reason), this.sweeper.stop()]);
  }

  #find({ task: address, id }: Attempt): { readonly state: RunState; readonly task: TaskState } | undefined {
    const state = this.#ports.state();
    const task = taskAt(state, address);
    return task.life.status === 'running' && task.life.attempt?.id === id ? { state, task } : undefined;
  }

  async #place(
    attempt: Attempt,
    given: { readonly state: RunState; readonly task: TaskState },
  ): Promise<Placed> {
    const { workspaces, put } = this.#ports;
    const obstacle = await this.#lock(attempt.id, given.task);
    if (obstacle !== undefined) return { folder: '.', enter: asItIs, obstacle };
    // A place that was left for good may be wanted again.
    await this.sweeper.settled(given.task.workspace?.token);
    return placeTask(workspaces, given, (news) => put({ type: 'placed', attempt, news }));
  }

  async #lock(attempt: string, { spec }: TaskState): Promise<Outcome | undefined> {
    const { repositoryLocks: locks = [] } = spec;
    if (locks.length === 0) return undefined;
    const taking = takeLocks(this.#ports, this.#ports.state(), { attempt, locks });
    const taken = taking.then((found) => ('taken' in found ? found.taken : []));
    this.#locks.set(
      attempt,
      taken.catch(() => []),
    );
    const found = await taking;
    if ('taken' in found) return undefined;
    const until = this.#ports.clock.now() + lockPatienceMs;
    return { type: 'delayed', until, reason: found.holder };
  }

  #end(attempt: Attempt, outcome: Outcome): void {
    const tell = (): void => this.#ports.put({ type: 'outcome', attempt, outcome });
    const locks = this.#locks.get(attempt.id);
    if (locks === undefined) return tell();
    this.#locks.delete(attempt.id);
    // Before it is told: whoever comes next would find it locked, and wait.
    void locks.then((leases) => releaseLocks(this.#ports, leases)).finally(tell);
  }
}
