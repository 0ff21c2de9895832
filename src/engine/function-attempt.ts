import { formatDuration, PitonError, type Clock } from '../base/index.ts';
import type { AttemptState, RunState, TaskState } from '../kernel/index.ts';
import type { Outcome } from '../model/index.ts';
import { stoppedOutcome, type Attempt, type StopReason } from './attempt.ts';
import { callFunction } from './call-function.ts';
import type { Program } from './program.ts';

export interface FunctionPorts {
  readonly program: Program;
  readonly clock: Clock;
  /** How long a function that was asked to stop may take. */
  readonly graceMs: number;
  readonly maxOutputBytes: number;
  checkpoint(): Promise<void>;
  ended(attempt: Attempt, outcome: Outcome): void;
}

/** The function of a task whose attempt has been committed, under way. Tells its outcome once, whatever happens. */
export class FunctionAttempt implements Attempt {
  readonly task: string;
  readonly id: string;
  /** Resolves when the function has really come back, which may be long after it was given up. */
  returned: Promise<void> = Promise.resolve();
  readonly #ports: FunctionPorts;
  readonly #controller = new AbortController();
  /** Ends the waits. Made by the first of them: aborting a signal costs more than most of what a small task does. */
  #waits: AbortController | undefined;
  #isOver = false;
  #stopReason: StopReason | undefined;

  constructor(task: TaskState, attempt: AttemptState, ports: FunctionPorts) {
    this.task = task.address;
    this.id = attempt.id;
    this.#ports = ports;
  }

  begin(state: RunState, task: TaskState): void {
    const { program, maxOutputBytes, checkpoint } = this.#ports;
    const options = { program, maxOutputBytes, checkpoint, signal: this.#controller.signal };
    this.returned = callFunction(state, task, options).then((outcome) => this.#settle(outcome));
    if (task.spec.timeoutMs !== undefined) void this.#stopAfter(task.spec.timeoutMs);
  }

  /** It lives in this process: to let go of it is to ask it to end. */
  letGo(reason: StopReason): void {
    this.stop(reason);
  }

  /** Asks the function to end; after the grace it is given up. The first reason counts. */
  stop(reason: StopReason): void {
    if (this.#isOver || this.#stopReason !== undefined) return;
    this.#stopReason = reason;
    this.#controller.abort(new PitonError('STOPPED', `${this.task} is to stop: ${reason.text}.`));
    void this.#giveUp(reason);
  }

  /** From now, not from when it was planned: a commit that had to wait is not running time, nor is a machine's sleep. */
  async #stopAfter(timeoutMs: number): Promise<void> {
    const { clock } = this.#ports;
    const until = clock.elapsed() + timeoutMs;
    for (let left = timeoutMs; left > 0 && !this.#isOver; left = until - clock.elapsed())
      await this.#wait(left);
    this.stop({ type: 'timeout', text: `it did not end within ${formatDuration(timeoutMs)}` });
  }

  async #giveUp(reason: StopReason): Promise<void> {
    await this.#wait(this.#ports.graceMs);
    this.end(stoppedOutcome(reason, { isStillRunning: true }));
  }

  /** Until the time has passed or the attempt is over. */
  async #wait(ms: number): Promise<void> {
    this.#waits ??= new AbortController();
    await this.#ports.clock.sleep(ms, this.#waits.signal);
  }

  /** Work that was finished in spite of being asked to stop is finished work. */
  #settle(outcome: Outcome): void {
    const reason = this.#stopReason;
    this.end(
      reason === undefined || outcome.type === 'succeeded'
        ? outcome
        : stoppedOutcome(reason, { isStillRunning: false }),
    );
  }

  /** Tells the outcome, once. */
  end(outcome: Outcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#waits?.abort();
    this.#ports.ended(this, outcome);
  }
}
