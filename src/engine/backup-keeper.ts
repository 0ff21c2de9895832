import { asError } from '../base/index.ts';
import type { BackupPolicy } from './options.ts';
import { dueInMs, rotateBackups, type BackupPorts } from './rotate-backups.ts';

/** After a backup that could not be made, and when the clock was set: looked at again so soon. */
const longestWaitMs = 3_600_000;

/** Makes the backups that are due while runs are driven here. Nothing waits for them but the end of the process. */
export class BackupKeeper {
  readonly #ports: BackupPorts;
  readonly #policy: BackupPolicy;
  #drivers = 0;
  /** Aborted when nobody drives any more: then nothing may keep the process from ending. */
  #rest = new AbortController();
  #working: Promise<void> = Promise.resolve();
  #warned: string | undefined;

  constructor(ports: BackupPorts, policy: BackupPolicy) {
    this.#ports = ports;
    this.#policy = policy;
  }

  /** For as long as a run is driven. */
  during(driving: Promise<unknown>): void {
    if (this.#drivers++ === 0) {
      const { signal } = (this.#rest = new AbortController());
      this.#working = this.#working.then(() => this.#work(signal));
    }
    const ended = (): void => {
      if (--this.#drivers === 0) this.#rest.abort();
    };
    driving.then(ended, ended);
  }

  /** One that is under way is completed. */
  async close(): Promise<void> {
    this.#rest.abort();
    await this.#working;
  }

  async #work(signal: AbortSignal): Promise<void> {
    do {
      await rotateBackups(this.#ports, this.#policy).catch((error: unknown) => this.#warn(error));
      await this.#ports.clock.sleep(this.#waitMs(), signal);
    } while (!signal.aborted);
  }

  #waitMs(): number {
    const { store, clock } = this.#ports;
    if (store.file === undefined) return longestWaitMs;
    const place = { file: store.file, folder: this.#policy.folder };
    try {
      return Math.min(dueInMs(place, this.#policy, clock.now()) || longestWaitMs, longestWaitMs);
    } catch {
      return longestWaitMs;
    }
  }

  /** Runs go on without backups. Each trouble is told once. */
  #warn(error: unknown): void {
    const { message } = asError(error);
    if (this.#warned === message) return;
    this.#warned = message;
    process.emitWarning(`No backup of the store was made: ${message}`, { code: 'PITON_BACKUP_FAILED' });
  }
}
