import { setImmediate as turn } from 'node:timers/promises';
import { PitonError, systemClock } from '../../base/index.ts';
import type { Connection } from './connection.ts';
import { Blocked, isBusy, isFull, storeError, uncertain } from './faults.ts';
import { isOver, patiently, untilNextTry } from './patience.ts';
import type { Statements } from './statements.ts';

/** Something to be done in a transaction that it shares with its neighbours. */
export interface Change<T> {
  /** Throws a PitonError to refuse. Carried out again if the transaction around it failed, so the time is asked for in here. */
  apply(statements: Statements): T;
  /** Whether it is in the store, asked when the outcome of a COMMIT is unknown. Absent: doing it twice equals doing it once. */
  landed?(statements: Statements): boolean;
  /** In the same turn as the COMMIT, before anyone else learns of it. */
  committed?(value: T): void;
}

interface Waiting {
  readonly change: Change<unknown>;
  readonly askedAt: number;
  readonly resolve: (value: never) => void;
  readonly reject: (error: PitonError) => void;
  /** How often a COMMIT with it failed and it turned out not to be in the store. */
  failures: number;
  outcome: { readonly value: unknown } | { readonly error: unknown } | undefined;
}

interface Reports {
  readonly onFull: () => void;
}

/** Beyond this a transaction would keep the event loop, and other processes, waiting for too long. */
const largestGroup = 512;

/**
 * All changes asked for in one turn of the event loop become one transaction, since what costs is the sync to disk.
 * If one of them is refused, all are done again with a savepoint each, so that it leaves its neighbours alone. Each
 * promise is settled after COMMIT.
 */
export class GroupCommit {
  readonly #connection: Connection;
  readonly #reports: Reports;
  #queue: Waiting[] = [];
  #draining: Promise<void> | undefined;
  /** One of those that are first in the queue was refused. */
  #needsSavepoints = false;

  constructor(connection: Connection, reports: Reports) {
    this.#connection = connection;
    this.#reports = reports;
  }

  submit<T>(change: Change<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const askedAt = systemClock.elapsed();
      this.#queue.push({ change, askedAt, resolve, reject, failures: 0, outcome: undefined });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when everything asked for so far is settled. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    do {
      await turn();
      await this.#commitGroup();
    } while (this.#queue.length > 0);
    this.#draining = undefined;
  }

  async #commitGroup(): Promise<void> {
    if (!(await this.#begin())) return;
    const group = this.#queue.splice(0, largestGroup);
    if (!this.#applyAll(group)) return;
    if (!group.some(succeeded)) {
      this.#rollBack();
      return this.#settleAll(group);
    }
    try {
      this.#connection.commit();
    } catch (error) {
      return this.#clarify(group, error);
    }
    this.#settleAll(group);
  }

  async #begin(): Promise<boolean> {
    try {
      this.#connection.assertThere();
      this.#connection.statements.begin.run();
      return true;
    } catch (error) {
      this.#giveUp(error);
      if (this.#queue.length > 0) await untilNextTry();
      return false;
    }
  }

  /** A lock may go away, so only those who have waited long enough give up; anything else will not get better by waiting. */
  #giveUp(error: unknown): void {
    const waited = this.#queue;
    const isLock = isBusy(error);
    this.#queue = isLock ? waited.filter(({ askedAt }) => !isOver(this.#connection.settings, askedAt)) : [];
    const remaining = new Set(this.#queue);
    for (const member of waited) if (!remaining.has(member)) this.#reject(member, error);
  }

  /** False if the transaction was given up; then all that are not settled are queued again. */
  #applyAll(group: readonly Waiting[]): boolean {
    const hasSavepoints = this.#needsSavepoints;
    this.#needsSavepoints = false;
    for (const member of group) {
      member.outcome = this.#applyOne(member.change, hasSavepoints);
      if (succeeded(member)) continue;
      if (!hasSavepoints && group.length > 1) {
        this.#rollBack();
        this.#queue.unshift(...group);
        this.#needsSavepoints = true;
        return false;
      }
      if (this.#connection.inTransaction) continue;
      // SQLite gave all of it up.
      this.#queue.unshift(...group.filter((other) => other !== member));
      this.#settle(member);
      return false;
    }
    return true;
  }

  #applyOne(change: Change<unknown>, hasSavepoint: boolean): NonNullable<Waiting['outcome']> {
    const { statements } = this.#connection;
    try {
      if (hasSavepoint) statements.openSavepoint.run();
      const value = change.apply(statements);
      if (hasSavepoint) statements.releaseSavepoint.run();
      return { value };
    } catch (error) {
      if (hasSavepoint) this.#undoOne(statements);
      return { error };
    }
  }

  #undoOne(statements: Statements): void {
    if (!this.#connection.inTransaction) return;
    try {
      statements.undoSavepoint.run();
      statements.releaseSavepoint.run();
    } catch {
      // What cannot be undone singly is undone as a whole.
      this.#connection.discard();
    }
  }

  #rollBack(): void {
    if (!this.#connection.inTransaction) return;
    try {
      this.#connection.statements.rollback.run();
    } catch {
      this.#connection.discard();
    }
  }

  /**
   * An error on COMMIT does not say whether the commit is in the store. After a failed sync not even reading it back
   * does, since the pages read may never reach the disk. So: a fresh connection, a look at every change, and what is
   * found is copied and synced once more before anyone is told.
   */
  async #clarify(group: readonly Waiting[], cause: unknown): Promise<void> {
    this.#connection.discard();
    const found = await this.#findLanded(group).catch(() => undefined);
    if (found === undefined) {
      for (const member of group) member.reject(uncertain(this.#connection.settings.file, cause));
      return;
    }
    this.#settleAll(group.filter((member) => found.has(member)));
    this.#retryOrReject(
      group.filter((member) => !found.has(member)),
      cause,
    );
  }

  async #findLanded(group: readonly Waiting[]): Promise<ReadonlySet<Waiting>> {
    const { settings } = this.#connection;
    const found = await patiently(settings, () => {
      const { statements } = this.#connection;
      return new Set(
        group.filter((member) => succeeded(member) && member.change.landed?.(statements) === true),
      );
    });
    if (found.size > 0 && settings.durability === 'full') await this.#syncAgain();
    return found;
  }

  #syncAgain(): Promise<void> {
    return patiently(this.#connection.settings, () => {
      const result = this.#connection.statements.checkpoint.get();
      if (result?.['busy'] !== 0) throw new Blocked('the checkpoint is blocked');
    });
  }

  #retryOrReject(missing: readonly Waiting[], cause: unknown): void {
    for (const member of missing) member.failures++;
    const isHopeless = (member: Waiting): boolean => isFull(cause) || member.failures > 1;
    for (const member of missing.filter(isHopeless)) this.#reject(member, cause);
    this.#queue.unshift(...missing.filter((member) => !isHopeless(member)));
  }

  #settleAll(group: readonly Waiting[]): void {
    for (const member of group) this.#settle(member);
  }

  #settle(member: Waiting): void {
    const { outcome, change, resolve } = member;
    if (outcome === undefined || 'error' in outcome) return this.#reject(member, outcome?.error);
    change.committed?.(outcome.value);
    resolve(outcome.value as never);
  }

  #reject(member: Waiting, error: unknown): void {
    if (isFull(error)) this.#reports.onFull();
    member.reject(storeError(error, this.#connection.settings));
  }
}

function succeeded({ outcome }: Waiting): boolean {
  return outcome !== undefined && 'value' in outcome;
}
