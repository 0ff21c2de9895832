import { crashPoint } from '../base/index.ts';
import { placementOf, type RunState, type TaskState } from '../kernel/index.ts';
import type { Outcome } from '../model/index.ts';
import type { CleanupPolicy, Integration, Place, PlaceRequest, Workspaces } from '../workspaces/index.ts';
import { stoppedOutcome, type Attempt, type StopReason } from './attempt.ts';
import { failureOf } from './call-function.ts';
import { placeOf, placeRequest } from './placing.ts';

export interface IntegratePorts {
  readonly workspaces: Workspaces;
  readonly cleanup: CleanupPolicy;
  /** One after the other: each begins from what the last one has made. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  ended(attempt: Attempt, outcome: Outcome): void;
}

/** Brings the result of a task to those of the others. Short, in this process, and safe to be done again. */
export class IntegrateAttempt implements Attempt {
  readonly task: string;
  readonly id: string;
  returned: Promise<void> = Promise.resolve();
  readonly #ports: IntegratePorts;
  #isOver = false;
  #stopReason: StopReason | undefined;

  constructor(address: string, id: string, ports: IntegratePorts) {
    this.task = address;
    this.id = id;
    this.#ports = ports;
  }

  begin(state: RunState, task: TaskState): void {
    this.returned = this.#ports
      .inTurn(() => this.#work(state, task))
      .catch((thrown: unknown): Outcome => ({ type: 'failed', failure: failureOf(thrown) }))
      .then((outcome) => this.end(outcome));
  }

  async #work(state: RunState, task: TaskState): Promise<Outcome> {
    if (this.#stopReason !== undefined) return stoppedOutcome(this.#stopReason, { isStillRunning: false });
    const { workspaces, cleanup } = this.#ports;
    const request = { ...placeRequest(state, task), known: placeOf(task.workspace!) };
    const found = await this.#integrate(state, task, request);
    crashPoint('engine:after-integrate');
    if (found?.type === 'conflict') return conflictOutcome(found, howToMend(task, request.known));
    const at = task.startedAt ?? state.at;
    const result = found === undefined ? {} : { result: found.result };
    const cleaned = await workspaces.clean({ ...request, at, ...result }, cleanup);
    crashPoint('engine:after-clean');
    if (found === undefined) return { type: 'succeeded', cleaned };
    const integrated = { result: found.result, commit: found.commit };
    return { type: 'succeeded', integrated, cleaned };
  }

  /** One that only looked has nothing to bring in. */
  async #integrate(
    state: RunState,
    task: TaskState,
    request: PlaceRequest & { readonly known: Place },
  ): Promise<Integration | undefined> {
    const placement = placementOf(state, task);
    if (placement.mode !== 'worktree' || !placement.integrates) return undefined;
    const { spec, startedAt: at = state.at } = task;
    const order = { attempt: workOf(task), seq: state.seq, at, leavesConflict: leavesConflict(spec) };
    return this.#ports.workspaces.integrate({ ...request, ...order });
  }

  /** What has begun is over soon. */
  stop(reason: StopReason): void {
    this.#stopReason ??= reason;
  }

  letGo(): void {
    this.#isOver = true;
  }

  end(outcome: Outcome): void {
    if (this.#isOver) return;
    this.letGo();
    this.#ports.ended(this, outcome);
  }
}

/** The attempt whose work is brought in: the same, however often that is tried. */
function workOf({ finished, key }: TaskState): string {
  return finished?.by ?? key!;
}

/** For a person: without it they would try again, and find the same. */
function howToMend({ spec }: TaskState, { path, branch }: Place): string {
  if (leavesConflict(spec)) return `both sides are in ${path}: bring them together there, then retry`;
  const ofRun = branch.replace(/^refs\/heads\/piton-tasks\/([^/]+)\/.*$/s, 'piton/$1');
  return `to mend it: git merge ${ofRun} in ${path}, commit what you make of both, then retry`;
}

function leavesConflict({ onConflict, work }: TaskState['spec']): boolean {
  return onConflict === 'agent' && work.type === 'agent';
}

function conflictOutcome(
  { files, report }: Extract<Integration, { type: 'conflict' }>,
  mend: string,
): Outcome {
  const shown = files.slice(0, 5).join(', ');
  const names = files.length > 5 ? `${shown} and ${files.length - 5} more` : shown;
  const what = files.length === 0 ? report : `what it made does not fit to what others have made: ${names}`;
  const failure = { code: 'MERGE_CONFLICT', message: `${what} (${mend})`, retryable: true };
  return { type: 'failed', failure, conflict: files, report };
}
