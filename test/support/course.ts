import type { Observation } from '../../src/index.ts';

/** Follows a run by what its journal tells, in the process that drives it. */
export class Course {
  /** Resolves when the run is paused and nothing runs. */
  readonly rested: Promise<'paused'>;
  #rest!: (status: 'paused') => void;
  #isPaused = false;
  #lastTurn: Promise<void> = Promise.resolve();
  readonly #running = new Set<string>();
  readonly #endTurn = new Map<string, () => void>();

  constructor() {
    this.rested = new Promise((resolve) => (this.#rest = resolve));
  }

  follow(observation: Observation): void {
    if (observation.type === 'run.paused') this.#isPaused = true;
    if (observation.type === 'run.resumed') this.#isPaused = false;
    if (observation.type === 'attempt.started') this.#running.add(observation.task);
    if (observation.type === 'attempt.ended') this.#ended(observation.task);
    if (observation.type === 'task.succeeded') console.log(`settled ${observation.task}`);
    if (observation.type === 'checkpoint.saved' && this.#isPaused && this.#running.size === 0)
      this.#rest('paused');
  }

  /** Resolves when every task that asked before has ended. */
  async turnOf(task: string): Promise<void> {
    const before = this.#lastTurn;
    this.#lastTurn = new Promise((resolve) => this.#endTurn.set(task, resolve));
    await before;
  }

  #ended(task: string): void {
    this.#running.delete(task);
    this.#endTurn.get(task)?.();
  }
}
