/** One byte of a store of twenty runs is changed, or its file or log is cut off: what is shown is right, or it is refused and named. */
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  open,
  PitonError,
  workflow,
  type Definition,
  type Piton,
  type RunLine,
  type RunVerdict,
} from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const long = 'a value that is kept as a blob. '.repeat(400);

/** Of one task, of several, with a big value, and one that waits for a person. */
const flows: readonly Definition[] = [
  workflow('one').task('only', () => 1),
  workflow('chain')
    .task('a', () => 'a')
    .task('b', { needs: ['a'] }, () => 'b')
    .task('c', { needs: ['b'] }, () => 'c'),
  workflow('big')
    .task('make', () => long)
    .task('count', { needs: ['make'] }, ({ needs }) => needs.make.length),
  workflow('asks')
    .task('first', () => 1)
    .task('ask', { needs: ['first'], approval: 'Go on?' }, () => 2),
];

interface KnownRun {
  readonly line: RunLine;
  readonly checkpoint: string;
  /** As it was after each commit: what functions have done last is not witnessed outside of the store, and may be lost with the log. */
  readonly earlier: ReadonlySet<string>;
}

export interface Damage {
  readonly name: string;
  /** Commits may be lost by it: an earlier state of a run is a right one. */
  readonly losesEnds?: true;
  inflict(folder: string): void;
}

/** A store of twenty runs, which can be brought back as often as wanted. */
export class DamagedStore {
  readonly folder: string;
  readonly #kept: string;
  readonly #runs = new Map<string, KnownRun>();

  private constructor(root: string) {
    this.folder = join(root, 'store');
    this.#kept = join(root, 'kept');
  }

  /** `hasLog`: nobody has brought it into the file yet. */
  static async make({ hasLog }: { readonly hasLog: boolean }): Promise<DamagedStore> {
    const made = new DamagedStore(temporaryFolder());
    mkdirSync(made.folder);
    const piton = await made.#open();
    for (let index = 0; index < 20; index++) {
      const flow = flows[index % flows.length]!;
      const run = await piton.start(flow, { id: `run-${index}` });
      if (flow.workflow.name === 'asks')
        await eventually('it asks', async () => (await run.status()) === 'held');
      else await run.result();
    }
    await made.#learn(piton);
    if (hasLog) cpSync(made.folder, made.#kept, { recursive: true });
    await piton.close();
    if (!hasLog) cpSync(made.folder, made.#kept, { recursive: true });
    made.restore();
    return made;
  }

  size(file: 'piton.db' | 'piton.db-wal'): number {
    return readFileSync(join(this.#kept, file)).length;
  }

  restore(): void {
    rmSync(this.folder, { recursive: true });
    cpSync(this.#kept, this.folder, { recursive: true });
  }

  #open(): Promise<Piton> {
    return open({ store: `sqlite:${join(this.folder, 'piton.db')}?patience=1000`, durability: 'process' });
  }

  async #learn(piton: Piton): Promise<void> {
    for (const line of await piton.runs()) {
      const run = await piton.find(line.run);
      const earlier = new Set<string>();
      for (let seq = 1; seq <= line.seq; seq++) earlier.add(JSON.stringify(await run.checkpoint(seq)));
      this.#runs.set(line.run, { line, earlier, checkpoint: await lookAt(piton, line.run) });
    }
  }

  /** What is wrong with how the store bears this, in words; nothing if all is well. */
  async harmOf(damage: Damage): Promise<string[]> {
    const { name, losesEnds = false } = damage;
    this.restore();
    damage.inflict(this.folder);
    const harm = await refusedOr(() => this.#look(losesEnds));
    return harm.map((text) => `${name}: ${text}`);
  }

  async #look(losesEnds: boolean): Promise<string[]> {
    await using piton = await this.#open();
    const wrong = [
      ...(await this.#wrongRuns(piton, losesEnds)),
      ...(losesEnds ? [] : await this.#wrongLists(piton)),
    ];
    if (wrong.length === 0) return [];
    const verdicts = await piton.verify();
    const medium = await piton.checkStore();
    const unnoticed = wrong.filter(
      ({ run }) => medium.length === 0 && verdicts.find((verdict) => verdict.run === run)?.ok === true,
    );
    const repaired = await this.#repairAll(piton, verdicts);
    return [...unnoticed.map(({ run, text }) => `${run} ${text}, and verify finds nothing`), ...repaired];
  }

  /** Runs that are shown otherwise than they are, or are refused. */
  async #wrongRuns(piton: Piton, losesEnds: boolean): Promise<Wrong[]> {
    const wrong: Wrong[] = [];
    for (const [run, { checkpoint, earlier }] of this.#runs) {
      const seen = await refusedOr(() => lookAt(piton, run));
      if (typeof seen === 'string' && losesEnds && earlier.has(seen)) continue;
      if (typeof seen !== 'string') wrong.push({ run, text: 'is refused' });
      else if (seen !== checkpoint) wrong.push({ run, text: 'is shown otherwise than it is' });
    }
    return wrong;
  }

  async #wrongLists(piton: Piton): Promise<Wrong[]> {
    const damaged = new Set<unknown>();
    const lines = await refusedOr(() =>
      piton.runs({ onDamaged: ({ details }) => damaged.add(details['run']) }),
    );
    const shown = new Map(lines.map((line) => [line.run, JSON.stringify(line)]));
    return [...this.#runs]
      .filter(([run, { line }]) => !damaged.has(run) && shown.get(run) !== JSON.stringify(line))
      .map(([run]) => ({ run, text: 'is listed otherwise than it is' }));
  }

  /** What a repair says of itself is true, and afterwards all is sound. */
  async #repairAll(piton: Piton, verdicts: readonly RunVerdict[]): Promise<string[]> {
    const harm: string[] = [];
    for (const { run, ok, faults } of verdicts) {
      if (ok || !faults.every(({ in: where }) => ['journal', 'row', 'snapshot'].includes(where))) continue;
      harm.push(...(await refusedOr(() => this.#repair(piton, run))));
    }
    return harm;
  }

  async #repair(piton: Piton, run: string): Promise<string[]> {
    const { lastGood } = await piton.repair(run);
    const [verdict] = await piton.verify(run);
    const known = this.#runs.get(run);
    if (verdict?.ok !== true) return [`${run} is not sound after its repair: ${verdict?.reason}`];
    if (known === undefined || lastGood > known.line.seq)
      return [`${run} was taken back to ${lastGood}, which never was`];
    return [];
  }
}

interface Wrong {
  readonly run: string;
  readonly text: string;
}

async function lookAt(piton: Piton, run: string): Promise<string> {
  return JSON.stringify(await (await piton.find(run)).checkpoint());
}

/** What is refused with a name and a remedy is as it should be; a lost end counts as that. */
async function refusedOr<T>(look: () => Promise<T>): Promise<T | never[]> {
  try {
    return await look();
  } catch (thrown) {
    if (thrown instanceof PitonError && thrown.remedy !== undefined) return [];
    throw thrown;
  }
}

export function flipped(file: string, at: number, bit: number): Damage {
  return {
    name: `bit ${bit} of byte ${at} of ${file} flipped`,
    inflict(folder) {
      const path = join(folder, file);
      const bytes = readFileSync(path);
      bytes[at] = bytes[at]! ^ (1 << bit);
      writeFileSync(path, bytes);
    },
  };
}

export function cutOff(file: string, length: number): Damage {
  const inflict = (folder: string): void => truncateSync(join(folder, file), length);
  return {
    name: `${file} cut to ${length} bytes`,
    inflict,
    ...(file.endsWith('-wal') && { losesEnds: true }),
  };
}

export function anywhere(count: number, below: number): number[] {
  return Array.from({ length: count }, () => Math.floor(Math.random() * below));
}
