import { readLimit } from '../agents/index.ts';
import type { Clock } from '../base/index.ts';
import type { Spool } from '../spool/index.ts';

/** A limit that ends sooner is waited for by the agent itself. */
const patienceMs = 15_000;
const complaintBytes = 16 * 1024;

/** What an agent complains of while it says nothing. Only that counts: what came before, it has overcome. */
export class Silence {
  readonly #spool: Spool;
  readonly #attempt: string;
  #since = performance.now();
  #overcome: number;

  constructor(spool: Spool, attempt: string) {
    this.#spool = spool;
    this.#attempt = attempt;
    this.#overcome = this.#complaints(0).bytes;
  }

  isBroken(): void {
    this.#since = performance.now();
    this.#overcome = this.#complaints(0).bytes;
  }

  /** Whether it has been waiting for a while for a limit to end. */
  isForLimit(): boolean {
    if (performance.now() - this.#since < patienceMs) return false;
    const { bytes } = this.#complaints(0);
    const maxBytes = Math.min(bytes - this.#overcome, complaintBytes);
    if (maxBytes <= 0) return false;
    // When it ends, whoever judges the whole stream reads again.
    return readLimit(this.#complaints(maxBytes).text, { now: Date.now() }) !== undefined;
  }

  #complaints(maxBytes: number): { readonly text: string; readonly bytes: number } {
    return this.#spool.readOutput(this.#attempt, 'stderr', { maxBytes, from: 'end' });
  }
}

/** How long an attempt has printed nothing, whoever drives it. Counted as time passes here: a machine that sleeps is not idle. */
export class Stillness {
  readonly #spool: Spool;
  readonly #attempt: string;
  readonly #clock: Clock;
  #since: number;
  #complaints: number;

  constructor(spool: Spool, attempt: string, clock: Clock) {
    this.#spool = spool;
    this.#attempt = attempt;
    this.#clock = clock;
    const lastOutput = spool.lastOutputAt(attempt) ?? Date.now();
    this.#since = clock.elapsed() - Math.max(Date.now() - lastOutput, 0);
    this.#complaints = this.#complaintBytes();
  }

  get since(): number {
    return this.#since;
  }

  isBroken(): void {
    this.#since = this.#clock.elapsed();
  }

  /** What it prints for people counts too. That is looked at only when it matters. */
  hasLasted(ms: number): boolean {
    if (this.#clock.elapsed() - this.#since < ms) return false;
    const complaints = this.#complaintBytes();
    if (complaints === this.#complaints) return true;
    this.#complaints = complaints;
    this.isBroken();
    return false;
  }

  #complaintBytes(): number {
    return this.#spool.readOutput(this.#attempt, 'stderr', { maxBytes: 0, from: 'end' }).bytes;
  }
}
