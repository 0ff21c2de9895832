import { addUsed, nothingUsed, spentOn, type RunState } from '../kernel/index.ts';
import type { Used } from '../model/index.ts';
import { dayOf } from './calendar.ts';
import type { EnginePorts } from './options.ts';

/**
 * What agents have used today in the runs of a store, for budgets of the day. All runs are read when it is first asked, and
 * again when somebody else has written to the store; what runs that are driven here use is noted as they commit it.
 * So a transition costs the same however many runs there are.
 */
export class DaySpending {
  readonly #ports: Pick<EnginePorts, 'store' | 'clock'>;
  #day = '';
  #byRun: ReadonlyMap<string, Used> = new Map();
  /** Noted since the last reading began: that may have come too early to show it. */
  readonly #noted = new Map<string, Used>();
  /** What all others have used, by run. */
  readonly #sums = new Map<string, Used>();
  /** How often somebody else has written, and how often when the last reading began. */
  #changes = 0;
  #changesRead = -1;
  #reading: Promise<void> | undefined;

  constructor(ports: Pick<EnginePorts, 'store' | 'clock'>) {
    this.#ports = ports;
  }

  /** Somebody else has written to the store. */
  expire(): void {
    this.#changes++;
  }

  /** To be told of every commit of a run that is driven here. */
  note({ run, spent }: Pick<RunState, 'run' | 'spent'>): void {
    if (spent[this.#day] === undefined) return;
    const used = spentOn({ spent }, this.#day);
    if (isSame(used, this.#noted.get(run) ?? this.#byRun.get(run))) return;
    this.#noted.set(run, used);
    this.#sums.clear();
  }

  /** What agents have used today in all other runs of the store. */
  async elsewhere(run: string): Promise<Used> {
    const day = dayOf(this.#ports.clock.now());
    while (this.#day !== day || this.#changesRead !== this.#changes) {
      this.#reading ??= this.#read(day).finally(() => (this.#reading = undefined));
      await this.#reading;
    }
    let sum = this.#sums.get(run);
    if (sum === undefined) this.#sums.set(run, (sum = this.#sumWithout(run)));
    return sum;
  }

  async #read(day: string): Promise<void> {
    const changes = this.#changes;
    this.#day = day;
    this.#noted.clear();
    this.#changesRead = -1;
    const records = await this.#ports.store.listRuns({ spentOn: day });
    this.#byRun = new Map(records.map(({ run, spent = {} }) => [run, spentOn({ spent }, day)]));
    this.#sums.clear();
    this.#changesRead = changes;
  }

  #sumWithout(run: string): Used {
    let sum = nothingUsed;
    for (const [other, used] of new Map([...this.#byRun, ...this.#noted])) {
      if (other !== run) sum = addUsed(sum, used);
    }
    return sum;
  }
}

function isSame(used: Used, before: Used | undefined): boolean {
  return before !== undefined && JSON.stringify(used) === JSON.stringify(before);
}
