import { kindOf, placementOf, type RunState, type TaskState } from '../kernel/index.ts';
import type { Clock } from '../base/index.ts';
import type { PlaceWork } from '../workspaces/index.ts';
import type { Attempt } from './attempt.ts';
import { knownRequestOf } from './placing.ts';

export interface Saved {
  readonly commit: string;
  /** After what, for people. */
  readonly label: string;
  /** The attempt has ended. */
  readonly isLast?: boolean;
}

type Moment = Omit<Saved, 'commit'>;

export interface SaverPorts {
  readonly workspaces: Pick<PlaceWork, 'save'>;
  readonly clock: Clock;
  /** The task of an attempt under way; undefined: it is not any more. */
  find(attempt: Attempt): { readonly state: RunState; readonly task: TaskState } | undefined;
  saved(attempt: Attempt, saved: Saved): void;
}

/** What a check of merged work leaves is not the task's own, and a setup leaves nothing of worth. */
function mayChange(task: TaskState): boolean {
  const kind = kindOf(task);
  return kind !== 'setup' && kind !== 'verify';
}

/** Agents call tools all the time; so much of their work at most is lost with a place. */
const shortestMs = 15_000;

/** Keeps the files of places while they are worked in. It only saves work: that it fails is nobody's failure. */
export class Saver {
  readonly #ports: SaverPorts;
  readonly #lastAt = new Map<string, number>();
  readonly #saving = new Map<string, Promise<void>>();

  constructor(ports: SaverPorts) {
    this.#ports = ports;
  }

  /** A good moment, if it is time again. */
  boundary(attempt: Attempt, label: string): void {
    const now = this.#ports.clock.now();
    const last = this.#lastAt.get(attempt.id) ?? 0;
    if (this.#saving.has(attempt.id) || now - last < shortestMs) return;
    this.#lastAt.set(attempt.id, now);
    void this.#save(attempt, { label });
  }

  /** The last of an attempt, when nobody writes any more. */
  async final(attempt: Attempt): Promise<void> {
    await this.#saving.get(attempt.id);
    await this.#save(attempt, { label: 'at the end of the attempt', isLast: true });
    this.#lastAt.delete(attempt.id);
  }

  async #save(attempt: Attempt, moment: Moment): Promise<void> {
    const saving = this.#trySave(attempt, moment).catch(() => {});
    this.#saving.set(attempt.id, saving);
    await saving;
    this.#saving.delete(attempt.id);
  }

  async #trySave(attempt: Attempt, moment: Moment): Promise<void> {
    const found = this.#ports.find(attempt);
    if (found === undefined) return;
    const { state, task } = found;
    const { workspace } = task;
    if (workspace === undefined || !mayChange(task) || placementOf(state, task).mode === 'shared') return;
    const { snapshot: previous } = workspace;
    const commit = await this.#ports.workspaces.save({
      ...knownRequestOf(state, task),
      attempt: attempt.id,
      seq: state.seq,
      at: this.#ports.clock.now(),
      label: moment.label,
      ...(previous !== undefined && { previous }),
    });
    // That nothing has changed since is worth knowing at the end: by this, the finished work is known to be kept.
    if (commit !== undefined && (commit !== previous || moment.isLast === true))
      this.#ports.saved(attempt, { commit, ...moment });
  }
}
