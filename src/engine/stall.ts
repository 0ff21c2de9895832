import type { ElsewherePorts } from './elsewhere.ts';

type StallPorts = Pick<ElsewherePorts, 'store' | 'clock' | 'observers' | 'heartbeatTrouble'>;

/** Why nothing may be started at the moment, if so. */
export function startTrouble({ store, heartbeatTrouble }: Omit<StallPorts, 'clock' | 'observers'>) {
  return heartbeatTrouble() ?? (store.hasRoom() ? undefined : `there is too little room for ${store.url}`);
}

/** Why a driver cannot go on at the moment. Observers hear of it when it begins to stall. */
export class Stall {
  readonly #ports: StallPorts;
  readonly #run: string;
  #writing: string | undefined;
  #starting: string | undefined;
  /** By attempt. */
  readonly #ending = new Map<string, string>();

  constructor(ports: StallPorts, run: string) {
    this.#ports = ports;
    this.#run = run;
  }

  get reason(): string | undefined {
    return this.#writing ?? this.#starting ?? this.#ending.values().next().value;
  }

  /** As it was when last looked at. */
  get mayStart(): boolean {
    return this.#starting === undefined;
  }

  /** Nothing can be written; or, without a reason, it can again. */
  writing(trouble: string | undefined): void {
    this.#change(() => (this.#writing = trouble));
  }

  /** The end of an attempt cannot be recorded; or, without a reason, it can again. */
  ending(attempt: string, trouble: string | undefined): void {
    this.#change(() =>
      trouble === undefined ? this.#ending.delete(attempt) : this.#ending.set(attempt, trouble),
    );
  }

  /** Whether anything may be started now. */
  look(): boolean {
    const trouble = startTrouble(this.#ports);
    if (trouble !== this.#starting) this.#change(() => (this.#starting = trouble));
    return this.mayStart;
  }

  #change(change: () => unknown): void {
    const before = this.reason;
    change();
    const { reason } = this;
    if (before !== undefined || reason === undefined) return;
    const { observers, clock } = this.#ports;
    observers.tell({ type: 'run.stalled', run: this.#run, at: clock.now(), reason });
  }
}
