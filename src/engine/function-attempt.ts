import { formatDuration, PitonError, type Clock, type Json } from '../base/index.ts';
import type { AttemptState, FunctionQuestion, RunState, TaskState } from '../kernel/index.ts';
import { whyNotCheckpointName, type Outcome } from '../model/index.ts';
import { stoppedOutcome, type Attempt, type StopReason } from './attempt.ts';
import { callFunction } from './call-function.ts';
import { FunctionQuestions } from './function-questions.ts';
import type { AskedOfPerson, FunctionCall, Program } from './program.ts';
import type { SecretPorts } from './secrets-in-results.ts';

export interface FunctionPorts extends SecretPorts {
  readonly program: Program;
  readonly clock: Clock;
  /** How long a function that was asked to stop may take. */
  readonly graceMs: number;
  readonly maxOutputBytes: number;
  /** Asked for by a function of that task. Resolves when all that has settled so far is durable. */
  checkpoint(task: string, name: string | undefined): Promise<void>;
  /** Its function asks a person something. */
  asks(attempt: Attempt, question: FunctionQuestion): void;
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
  /** Made by the first: most functions ask nothing. */
  #questions: FunctionQuestions | undefined;

  constructor(task: TaskState, attempt: AttemptState, ports: FunctionPorts) {
    this.task = task.address;
    this.id = attempt.id;
    this.#ports = ports;
  }

  begin(state: RunState, task: TaskState): void {
    const { program, maxOutputBytes, environment, secrets } = this.#ports;
    const checkpoint = (name?: string): Promise<void> => this.#checkpoint(name);
    const { signal } = this.#controller;
    const ask: FunctionCall['ask'] = (question) => this.#ask(question);
    const options = { program, maxOutputBytes, checkpoint, environment, secrets, signal, ask };
    this.returned = callFunction(state, task, options).then((outcome) => this.#settle(outcome));
    if (task.spec.timeoutMs !== undefined) void this.#stopAfter(task.spec.timeoutMs);
  }

  async #checkpoint(name: string | undefined): Promise<void> {
    const why = name === undefined ? undefined : whyNotCheckpointName(name);
    if (why !== undefined) throw new PitonError('USAGE_INVALID', `${this.task}: ${why}.`);
    await this.#ports.checkpoint(this.task, name);
  }

  async #ask(question: AskedOfPerson): Promise<Json> {
    if (this.#isOver) throw new PitonError('STOPPED', `This attempt at ${this.task} has ended.`);
    const { clock, asks } = this.#ports;
    this.#questions ??= new FunctionQuestions({
      task: this.task,
      clock,
      signal: this.#controller.signal,
      put: (asked) => asks(this, asked),
    });
    return this.#questions.ask(question);
  }

  learn(task: TaskState): void {
    this.#questions?.learn(task);
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

  /** From now, not from when it was planned: a commit that had to wait is not running time, nor is a machine's sleep, nor what people take to answer. */
  async #stopAfter(timeoutMs: number): Promise<void> {
    const { clock } = this.#ports;
    const until = clock.elapsed() + timeoutMs;
    const leftMs = (): number => until + (this.#questions?.waitedMs ?? 0) - clock.elapsed();
    for (let left = timeoutMs; left > 0 && !this.#isOver; left = leftMs()) await this.#wait(left);
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
