import { readLimit } from '../agents/index.ts';
import type { Clock } from '../base/index.ts';
import type { HarvestingAttempts } from '../spool/index.ts';

/** A limit that ends sooner is waited for by the agent itself. */
const patienceMs = 15_000;
const complaintBytes = 16 * 1024;

/** What an agent complains of while it says nothing. Only that counts: what came before, it has overcome. */
export class Silence {
  readonly #complaints: Complaints;
  readonly #clock: Clock;
  #since: number;
  #overcome = 0;

  private constructor(complaints: Complaints, clock: Clock) {
    this.#complaints = complaints;
    this.#clock = clock;
    this.#since = clock.elapsed();
  }

  static async begin(spool: HarvestingAttempts, attempt: string, clock: Clock): Promise<Silence> {
    const silence = new Silence(new Complaints(spool, attempt), clock);
    await silence.isBroken();
    return silence;
  }

  async isBroken(): Promise<void> {
    this.#since = this.#clock.elapsed();
    this.#overcome = await this.#complaints.bytes();
  }

  /** Whether it has been waiting for a while for a limit to end. */
  async isForLimit(): Promise<boolean> {
    if (this.#clock.elapsed() - this.#since < patienceMs) return false;
    const maxBytes = Math.min((await this.#complaints.bytes()) - this.#overcome, complaintBytes);
    if (maxBytes <= 0) return false;
    // When it ends, whoever judges the whole stream reads again.
    const now = this.#clock.now();
    return readLimit(await this.#complaints.last(maxBytes), { now }) !== undefined;
  }
}

/** How long an attempt has printed nothing, whoever drives it. Counted as time passes here: a machine that sleeps is not idle. */
export class Stillness {
  readonly #complaints: Complaints;
  readonly #clock: Clock;
  #since: number;
  #known = 0;

  private constructor(complaints: Complaints, clock: Clock, since: number) {
    this.#complaints = complaints;
    this.#clock = clock;
    this.#since = since;
  }

  static async begin(spool: HarvestingAttempts, attempt: string, clock: Clock): Promise<Stillness> {
    const since = clock.elapsed() - (await spool.silentMs(attempt));
    const stillness = new Stillness(new Complaints(spool, attempt), clock, since);
    stillness.#known = await stillness.#complaints.bytes();
    return stillness;
  }

  get since(): number {
    return this.#since;
  }

  isBroken(): void {
    this.#since = this.#clock.elapsed();
  }

  /** What it prints for people counts too. That is looked at only when it matters. */
  async hasLasted(ms: number): Promise<boolean> {
    if (this.#clock.elapsed() - this.#since < ms) return false;
    const bytes = await this.#complaints.bytes();
    if (bytes === this.#known) return true;
    this.#known = bytes;
    this.isBroken();
    return false;
  }
}

/** What it prints for people. */
class Complaints {
  readonly #spool: HarvestingAttempts;
  readonly #attempt: string;

  constructor(spool: HarvestingAttempts, attempt: string) {
    this.#spool = spool;
    this.#attempt = attempt;
  }

  async bytes(): Promise<number> {
    return (await this.#spool.readOutput(this.#attempt, 'stderr', { maxBytes: 0, from: 'end' })).bytes;
  }

  async last(maxBytes: number): Promise<string> {
    return (await this.#spool.readOutput(this.#attempt, 'stderr', { maxBytes, from: 'end' })).text;
  }
}
