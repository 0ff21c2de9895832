import { asError, crashPoint } from '../base/index.ts';
import { isToBeCleaned, placesToClean, taskAt, type RunState, type TaskState } from '../kernel/index.ts';
import type { CleanupPolicy, Event } from '../model/index.ts';
import type { Cleaned, CleanRequest, Upkeep } from '../workspaces/index.ts';
import { knownRequestOf } from './placing.ts';

export interface SweeperPorts {
  readonly upkeep: Pick<Upkeep, 'clean'>;
  /** Unless the workflow says otherwise. */
  readonly cleanup: CleanupPolicy;
  cleaned(place: SweptPlace, cleaned: Cleaned): void;
}

export interface SweptPlace {
  readonly task: string;
  readonly token: string;
}

/** Cleans up the places of tasks that have come to their end, one after the other, while the run goes on. */
export class Sweeper {
  readonly #ports: SweeperPorts;
  /** By the tokens of the places. */
  readonly #queued = new Map<string, Promise<void>>();
  #last: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(ports: SweeperPorts) {
    this.#ports = ports;
  }

  get isIdle(): boolean {
    return this.#queued.size === 0;
  }

  /** Resolves when nothing is being cleaned; what is queued can be done by whoever comes next. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#last;
  }

  /** Whether something is left that is to be cleaned before the run is let go of. */
  isNeeded(state: RunState): boolean {
    return !this.#isStopped && (!this.isIdle || placesToClean(state, this.#policyOf(state)).length > 0);
  }

  sweepAll(state: RunState): void {
    for (const task of placesToClean(state, this.#policyOf(state))) this.#sweep(state, task);
  }

  /** To be called when these are durable, and not before. */
  react(state: RunState, events: readonly Event[]): void {
    const { status } = state.phase;
    if (status !== 'active' && status !== 'paused') return this.sweepAll(state);
    for (const event of events) if (event.type === 'task.succeeded') this.#sweepAfter(state, event.task);
  }

  /** Of a for-each also the places that its items have taken in turn. */
  #sweepAfter(state: RunState, address: string): void {
    const task = taskAt(state, address);
    this.#sweep(state, task);
    if (task.spec.pool === undefined) return;
    for (const item of task.group?.items ?? []) this.#sweep(state, taskAt(state, item));
  }

  #sweep(state: RunState, task: TaskState): void {
    const policy = this.#policyOf(state);
    if (this.#isStopped || !isToBeCleaned(state, task, policy)) return;
    const { token } = task.workspace!;
    if (this.#queued.has(token)) return;
    const request = cleanRequest(state, task);
    this.#last = this.#last.then(() => this.#clean(request, policy));
    this.#queued.set(token, this.#last);
  }

  #policyOf({ workflow }: RunState): CleanupPolicy {
    return workflow.cleanup ?? this.#ports.cleanup;
  }

  /** A place that is being cleaned is not to be used again before that is over. */
  async settled(token: string | undefined): Promise<void> {
    if (token !== undefined) await this.#queued.get(token);
  }

  async #clean(request: CleanRequest, policy: CleanupPolicy): Promise<void> {
    const { token } = request.known;
    if (this.#isStopped) return void this.#queued.delete(token);
    const cleaned = await this.#ports.upkeep
      .clean(request, policy)
      .catch((thrown: unknown): Cleaned => ({ how: 'kept', reason: asError(thrown).message }));
    crashPoint('engine:after-clean');
    this.#queued.delete(token);
    this.#ports.cleaned({ task: request.task, token }, cleaned);
  }
}

export function cleanRequest(state: RunState, task: TaskState): CleanRequest {
  const { workspace, life, startedAt: at = state.at } = task;
  const result = workspace?.integrated?.result;
  return {
    ...knownRequestOf(state, task),
    at,
    hasSucceeded: life.status === 'succeeded',
    ...(result !== undefined && { result }),
  };
}
