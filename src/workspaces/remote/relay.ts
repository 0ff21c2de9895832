import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readExit, spoolFiles, StoreKey } from '../../spool/index.ts';
import { settle, stop, survey, take, type Attempts, type AttemptThere } from './attempts.ts';
import { begin } from './begin.ts';
import type { Description, Surroundings } from './description.ts';
import { follow } from './follow.ts';
import type { RemoteEnd } from './frames.ts';
import { thereOf } from './layout.ts';
import type { Line } from './ssh.ts';

export type RelayEnd = { readonly type: 'exited'; readonly code: number } | { readonly type: 'vanished' };

/** As after SIGTERM. */
const terminated = 143;

export class Relay {
  readonly #description: Description;
  readonly #surroundings: Surroundings;
  readonly #attempts: Attempts;
  readonly #key: StoreKey;
  #isStopping = false;
  #followed: string | undefined;

  constructor(description: Description, surroundings: Surroundings) {
    const { machine, place, graceMs, patienceMs, keys } = description;
    const line: Line = { machine, environment: surroundings.environment, patienceMs };
    this.#description = description;
    this.#surroundings = surroundings;
    this.#key = new StoreKey(dirname(surroundings.folder), keys);
    this.#attempts = { line, folder: thereOf(place).attempts, graceMs };
  }

  async run(): Promise<RelayEnd> {
    const attempt = await this.#findOrBegin();
    if (attempt === undefined) return { type: 'exited', code: terminated };
    this.#followed = attempt;
    if (this.#isStopping) this.#stopThere(attempt);
    const { folder } = this.#attempts;
    const { resultFile } = this.#surroundings;
    const end = await follow(this.#patiently().line, { folder: `${folder}/${attempt}`, attempt, resultFile });
    if (end.type === 'vanished') return end;
    if (this.#key.isNonceOf(sealedAs(attempt), { ...end, timedOut: end.isLate }))
      return this.#finish(attempt, end);
    process.stderr.write(
      'Its exit record there has a wrong nonce: somebody else than its wrapper wrote it.\n',
    );
    // Whoever comes next must not take it for an end either.
    await stop(this.#patiently(), attempt, true);
    return { type: 'vanished' };
  }

  /** Asks it to end there; it is followed to its end all the same. */
  stop(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    if (this.#followed !== undefined) this.#stopThere(this.#followed);
  }

  #stopThere(attempt: string): void {
    // Once it is known to run there, nothing but our own end ends the tries to reach it.
    stop(this.#patiently(), attempt, true).catch((error: unknown) => {
      process.stderr.write(`It could not be stopped there: ${String(error)}\n`);
    });
  }

  #patiently(): Attempts {
    return { ...this.#attempts, line: { ...this.#attempts.line, patienceMs: Number.POSITIVE_INFINITY } };
  }

  /** Undefined: it was stopped before anything had begun. */
  async #findOrBegin(): Promise<string | undefined> {
    const { attempt } = this.#description;
    const others = await survey(this.#attempts, attempt);
    const unfinished = others.filter((one) => !this.#isFinished(one));
    const found =
      unfinished.find(({ state }) => state === 'alive') ?? unfinished.find(({ state }) => state === 'exited');
    for (const other of others) if (other !== found) await this.#fence(other);
    if (found !== undefined) {
      await take(this.#patiently(), found.attempt, attempt);
      return found.attempt;
    }
    if (this.#isStopping) return undefined;
    const nonces = this.#key.noncesOf(sealedAs(attempt));
    await begin(this.#patiently(), this.#description, { ...this.#surroundings, nonces });
    return attempt;
  }

  /** Whether its end is known here, or must not be taken for that of this attempt. */
  #isFinished({ kind, taker, marks }: AttemptThere): boolean {
    if (kind !== this.#description.kind || marks.includes('never') || marks.includes('stopping')) return true;
    const here = join(dirname(this.#surroundings.folder), taker);
    // A relay that was killed has left no record of an end.
    return existsSync(here) ? readExit(here, taker) !== undefined : marks.includes('delivered');
  }

  async #fence({ attempt, state, marks }: AttemptThere): Promise<void> {
    if (state === 'unclaimed' || marks.includes('never') || marks.includes('delivered')) return;
    await stop(this.#attempts, attempt, state === 'alive');
  }

  async #finish(attempt: string, end: Extract<RemoteEnd, { type: 'exited' }>): Promise<RelayEnd> {
    // The wrapper here reads it: a deadline that passed there is one that passed here.
    if (end.isLate) writeFileSync(join(this.#surroundings.folder, spoolFiles.timedOut), '1\n');
    await settle(this.#patiently(), attempt);
    return { type: 'exited', code: end.code };
  }
}

/** Not as that of the relay here: what is known there must not seal anything here. */
function sealedAs(attempt: string): string {
  return `there ${attempt}`;
}
