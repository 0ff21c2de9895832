import {
  isFailFast,
  reasonToStop,
  reasonToStopSpending,
  taskAt,
  type FunctionQuestion,
  type RunState,
  type TaskState,
} from '../kernel/index.ts';
import type { Event, Used } from '../model/index.ts';
import type { Attempt, StopReason } from './attempt.ts';
import type { AgentPorts } from './agent-ports.ts';
import { agentWork } from './agent-work.ts';
import { checkWork } from './check-work.ts';
import { deliverWork, type DeliverPorts } from './deliver-work.ts';
import { IntegrateAttempt, type IntegratePorts } from './integrate-attempt.ts';
import { setupWork } from './setup-work.ts';
import { commandWork } from './command-work.ts';
import type { Found } from './find-attempt.ts';
import { ProcessAttempt } from './process-attempt.ts';
import { FunctionAttempt } from './function-attempt.ts';
import { secretNames } from './secrets.ts';

export interface AttemptPorts extends AgentPorts, DeliverPorts, IntegratePorts {
  /** Asked for by a function of that task. Resolves when all that has settled so far is durable. */
  checkpoint(task: string, name: string | undefined): Promise<void>;
  asks(attempt: Attempt, question: FunctionQuestion): void;
}

type Spending = Parameters<typeof reasonToStopSpending>[2];

/** All attempts that one driver has under way. */
export class Attempts {
  readonly #ports: AttemptPorts;
  readonly #running = new Map<string, Attempt>();
  /** What they had used when a budget was seen to be used up; a count makes it another. */
  readonly #overspent = new Map<string, Used | undefined>();

  constructor(ports: AttemptPorts) {
    // A task may have asked for the whole environment, and print what is the secret of another.
    const secrets = new Set([...ports.secrets, ...secretNames(ports.program.workflow)]);
    this.#ports = { ...ports, secrets: [...secrets] };
  }

  get isEmpty(): boolean {
    return this.#running.size === 0;
  }

  /** Begins an attempt that has been committed; not if `stopped` says why nothing may begin any more. */
  start(state: RunState, task: TaskState, stopped: string | undefined): void {
    if (task.life.status !== 'running' || task.life.attempt === undefined) return;
    const { attempt: committed } = task.life;
    const attempt =
      this.#integration(task) ?? this.#process(task) ?? new FunctionAttempt(task, committed, this.#ports);
    this.#running.set(attempt.id, attempt);
    // What is taken up has begun long ago: only how it stands tells how it ended.
    if (stopped === undefined || committed.isSpooled === true) attempt.begin(state, task);
    else attempt.end({ type: 'interrupted', reason: stopped, graceful: true, neverBegan: true });
  }

  #integration(task: TaskState): IntegrateAttempt | undefined {
    const { life, address } = task;
    if (life.status !== 'running' || life.attempt?.kind !== 'integrate') return undefined;
    return new IntegrateAttempt(address, life.attempt.id, this.#ports);
  }

  /** What is done outside of this process; undefined for what is not. */
  #process(task: TaskState): ProcessAttempt | undefined {
    const { life, spec } = task;
    if (life.status !== 'running' || life.attempt === undefined) return undefined;
    const { attempt } = life;
    if (attempt.kind === 'setup') {
      return new ProcessAttempt({ task, attempt }, this.#ports, (made) => setupWork(spec, this.#ports, made));
    }
    if (attempt.kind === 'check' || attempt.kind === 'verify') {
      return new ProcessAttempt({ task, attempt }, this.#ports, (made) => checkWork(spec, this.#ports, made));
    }
    if (spec.work.type === 'command') {
      return new ProcessAttempt({ task, attempt }, this.#ports, (made) =>
        commandWork(spec, this.#ports, made),
      );
    }
    if (spec.work.type === 'deliver') {
      return new ProcessAttempt({ task, attempt }, this.#ports, (made) =>
        deliverWork(spec, this.#ports, made),
      );
    }
    if (spec.work.type !== 'agent') return undefined;
    return new ProcessAttempt({ task, attempt }, this.#ports, (made) =>
      agentWork({ spec, attempt, cli: task.conversation.cli }, this.#ports, made),
    );
  }

  /** Goes on with a process that another driver began. */
  attach(task: TaskState, found: Found): void {
    const attempt = this.#process(task);
    if (attempt === undefined) return;
    this.#running.set(attempt.id, attempt);
    attempt.attach(found);
  }

  /** Something that its function has asked was answered. */
  learn(task: TaskState): void {
    const id = task.life.status === 'running' ? task.life.attempt?.id : undefined;
    if (id !== undefined) this.#running.get(id)?.learn?.(task);
  }

  forget({ id }: Attempt): void {
    this.#running.delete(id);
    this.#overspent.delete(id);
  }

  /** What has just become durable may mean that some must not go on. */
  react(state: RunState, events: readonly Event[], spending: () => Spending): void {
    const mayStop = events.some(
      (event) =>
        event.type === 'cancel.requested' ||
        (event.type === 'task.failed' && isFailFast(state, taskAt(state, event.task))),
    );
    if (mayStop) this.stopDoomed(state);
    if (events.some(({ type }) => type === 'transcript.added' || type === 'limits.changed'))
      this.stopSpending(state, spending());
  }

  /** Those whose scope is being cancelled, or whose for-each has failed. */
  stopDoomed(state: RunState): void {
    for (const attempt of this.#running.values()) {
      const reason = reasonToStop(state, taskAt(state, attempt.task));
      if (reason !== undefined) attempt.stop({ type: 'cancelled', text: reason });
    }
  }

  /**
   * Those that have used up a budget, as soon as nothing is under way whose effect would be unknown: an agent tells what a message
   * has cost together with the call that it makes. At the latest when it tells that it has used even more.
   */
  stopSpending(state: RunState, spending: Spending): void {
    for (const attempt of this.#running.values()) {
      const task = taskAt(state, attempt.task);
      const reason = reasonToStopSpending(state, task, spending);
      if (reason === undefined) this.#overspent.delete(attempt.id);
      else if (attempt.mayPause?.() !== false || this.#hasUsedMore(attempt, task))
        attempt.stop({ type: 'interrupted', text: reason });
    }
  }

  #hasUsedMore({ id }: Attempt, { usage }: TaskState): boolean {
    const before = this.#overspent.get(id);
    this.#overspent.set(id, before ?? usage);
    return this.#overspent.get(id) !== usage;
  }

  stop(address: string, reason: StopReason): void {
    for (const attempt of this.#running.values()) if (attempt.task === address) attempt.stop(reason);
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
