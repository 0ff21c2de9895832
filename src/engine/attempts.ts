import type { Clock, ProcessIdentity } from '../base/index.ts';
import { reasonToStop, taskAt, type RunState, type TaskState } from '../kernel/index.ts';
import type { Outcome } from '../model/index.ts';
import type { Spool } from '../spool/index.ts';
import type { Attempt, StopReason } from './attempt.ts';
import { CommandAttempt, type Found } from './command-attempt.ts';
import type { Environment } from './command-order.ts';
import { FunctionAttempt } from './function-attempt.ts';
import type { Program } from './program.ts';

export interface AttemptPorts {
  readonly program: Program;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly environment: Environment;
  readonly graceMs: number;
  readonly maxOutputBytes: number;
  checkpoint(): Promise<void>;
  spawned(attempt: Attempt, process: ProcessIdentity): void;
  ended(attempt: Attempt, outcome: Outcome): void;
}

/** All attempts that one driver has under way. */
export class Attempts {
  readonly #ports: AttemptPorts;
  readonly #running = new Map<string, Attempt>();

  constructor(ports: AttemptPorts) {
    this.#ports = ports;
  }

  get isEmpty(): boolean {
    return this.#running.size === 0;
  }

  /** Begins an attempt that has been committed; not if `stopped` says why nothing may begin any more. */
  start(state: RunState, task: TaskState, stopped: string | undefined): void {
    if (task.life.status !== 'running' || task.life.attempt === undefined) return;
    const attempt =
      task.spec.work.type === 'command'
        ? new CommandAttempt(task, task.life.attempt, this.#ports)
        : new FunctionAttempt(task, task.life.attempt, this.#ports);
    this.#running.set(attempt.id, attempt);
    if (stopped === undefined) attempt.begin(state, task);
    else attempt.end({ type: 'interrupted', reason: stopped, graceful: true, neverBegan: true });
  }

  /** Goes on with a command that another driver began. */
  attach(task: TaskState, found: Found): void {
    if (task.life.status !== 'running' || task.life.attempt === undefined) return;
    const attempt = new CommandAttempt(task, task.life.attempt, this.#ports);
    this.#running.set(attempt.id, attempt);
    attempt.attach(found);
  }

  forget({ id }: Attempt): void {
    this.#running.delete(id);
  }

  /** Those whose scope is being cancelled, or whose for-each has failed. */
  stopDoomed(state: RunState): void {
    for (const attempt of this.#running.values()) {
      const reason = reasonToStop(state, taskAt(state, attempt.task));
      if (reason !== undefined) attempt.stop({ type: 'cancelled', text: reason });
    }
  }

  stopAll(reason: StopReason): void {
    for (const attempt of this.#running.values()) attempt.stop(reason);
  }

  /** Resolves when nothing of them is left in this process. */
  async letGo(reason: StopReason): Promise<void> {
    const attempts = [...this.#running.values()];
    for (const attempt of attempts) attempt.letGo(reason);
    await Promise.all(attempts.map(({ returned }) => returned));
  }
}
