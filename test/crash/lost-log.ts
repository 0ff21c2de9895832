/** The end of the database's log is lost, in every way: nothing that has ended begins again, and after a repair the run ends as if nothing was lost. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { loadWorkflow, open, PitonError, type Piton } from '../../src/index.ts';
import { executionsOf } from '../support/commands.ts';
import { killAt } from '../support/kill.ts';
import { unlike } from '../support/promises.ts';
import { startProgram } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const asked = { 'on-interrupt': 'ask' };

/** Workflows whose tasks trace themselves in a ledger, by the folder it is in. */
class Flows {
  readonly #trace: string;

  constructor(folder: string) {
    this.#trace = `printf "%s\\n" "$PITON_TASK" >> ${folder}/ledger`;
  }

  #step(name: string, more: object = {}): object {
    return { run: `${this.#trace}\necho "done ${name}"`, ...more };
  }

  #played(text: string, more: object = {}): object {
    const steps = [{ run: `${this.#trace}; ${text}` }, { answer: 'done' }];
    const prompt = `Do it.\n\`\`\`part\n${JSON.stringify({ steps })}\n\`\`\`\n`;
    return { agent: 'scripted', permissions: 'full', prompt, ...more };
  }

  chain(): object {
    const b = this.#step('b', { needs: ['a'], ...asked });
    return { tasks: { a: this.#step('a'), b, c: this.#step('c', { needs: ['b'] }) } };
  }

  diamond(): object {
    return {
      tasks: {
        plan: this.#step('plan'),
        left: this.#step('left', { needs: ['plan'] }),
        right: this.#step('right', { needs: ['plan'], ...asked }),
        join: this.#step('join', { needs: ['left', 'right'] }),
      },
    };
  }

  wide(): object {
    return { tasks: Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, this.#step(name)])) };
  }

  items(): object {
    const each = { 'for-each': { in: ['x', 'y', 'z'] }, run: `${this.#trace}\necho "$PITON_TASK"` };
    return { tasks: { each, after: this.#step('after', { needs: ['each'] }) } };
  }

  nested(): object {
    const tasks = { one: this.#step('one'), two: this.#step('two', { needs: ['one'], ...asked }) };
    return { tasks: { group: { tasks }, after: this.#step('after', { needs: ['group'] }) } };
  }

  retried(): object {
    const run = `${this.#trace}\n[ "$(wc -l < ledger)" -gt 1 ] || exit 1\necho mended`;
    const flaky = { run, retry: { attempts: 3, backoff: '1ms' } };
    return { tasks: { flaky, after: this.#step('after', { needs: ['flaky'] }) } };
  }

  passing(): object {
    const take = { run: `${this.#trace}\necho "got \${{ needs.give.output }}"`, needs: ['give'] };
    return { tasks: { give: this.#step('give'), take } };
  }

  optional(): object {
    return {
      tasks: {
        fails: { run: `${this.#trace}\nexit 3`, 'continue-on-error': true },
        after: this.#step('after', { needs: ['fails'] }),
        never: this.#step('never', { needs: ['after'], if: 'false' }),
      },
    };
  }

  graph(): object {
    const first = this.#step('first', { next: 'second' });
    const again = [{ if: 'state.n < 2', to: 'first' }, { to: 'end' }];
    const second = this.#step('second', { update: { n: '${{ state.n + 1 }}' }, next: again });
    return { state: { n: 0 }, start: 'first', 'max-steps': 9, graph: { first, second } };
  }

  agents(): object {
    const two = this.#played(':', { needs: ['one'], check: `${this.#trace}; true` });
    return { tasks: { one: this.#played(':'), two } };
  }

  /** In a repository, each in a worktree of its own. */
  worktrees(): object {
    const one = this.#played('echo 1 > one.txt', { setup: `${this.#trace}` });
    return { tasks: { one, two: this.#played('cat one.txt > two.txt', { needs: ['one'] }) } };
  }

  /** Items that take the places of a pool in turn. */
  pooled(): object {
    const write = 'touch "$(echo "$PITON_TASK" | tr -dc a-z)"';
    const each = this.#played(write, {
      'for-each': { in: ['w', 'x', 'y', 'z'] },
      pool: 2,
      setup: this.#trace,
    });
    return { tasks: { each, after: this.#played('ls > list', { needs: ['each'] }) } };
  }

  /** Their merges are checked once more, and one is revised. */
  merged(): object {
    const check = `${this.#trace}; true`;
    const revised = `${this.#trace}; [ -e twice ] || { touch twice; exit 1; }`;
    return {
      tasks: {
        one: this.#played('echo 1 > one.txt', { check }),
        two: this.#played('echo 2 > two.txt', { check }),
        three: this.#played('echo 3 > three.txt', { check: revised }),
      },
    };
  }
}

export type FlowName = keyof Flows;
export const flowNames = Object.getOwnPropertyNames(Flows.prototype).slice(1) as FlowName[];

/** Those take longer. */
export const inWorktrees: ReadonlySet<FlowName> = new Set(['worktrees', 'pooled', 'merged']);

export interface LogTrial {
  readonly flow: FlowName;
  readonly isMirrored: boolean;
}

export interface LogDamage {
  readonly name: string;
  /** Damages the store in this folder, which nobody has open. */
  inflict(folder: string): void;
}

function makeRepository(folder: string): void {
  const git = (...args: string[]): Buffer => execFileSync('git', args, { cwd: folder });
  git('init', '-q', '-b', 'main');
  writeFileSync(join(folder, '.gitignore'), 'piton.db*\nspool\nworktrees\nmirror\nflow.yaml\nledger\n');
  git('add', '.');
  git('-c', 'user.name=T', '-c', 'user.email=t@t', 'commit', '-qm', 'first');
}

/** An interrupted run, which can be brought back as often as wanted. */
export class InterruptedRun {
  readonly folder: string;
  readonly #kept: string;
  readonly #trial: LogTrial;

  private constructor(root: string, trial: LogTrial) {
    this.folder = join(root, 'project');
    this.#kept = join(root, 'kept');
    this.#trial = trial;
  }

  /** Killed when all of its commands have ended: then everything is in the log. */
  static async make(trial: LogTrial): Promise<InterruptedRun> {
    const root = temporaryFolder();
    const run = new InterruptedRun(root, trial);
    mkdirSync(run.folder);
    if (['worktrees', 'pooled', 'merged'].includes(trial.flow)) makeRepository(run.folder);
    // JSON is YAML.
    const flow = { name: 'flow', ...new Flows(run.folder)[trial.flow]() };
    writeFileSync(join(run.folder, 'flow.yaml'), JSON.stringify(flow));
    const orders = JSON.stringify({ folders: [run.folder], isMirrored: trial.isMirrored });
    await killAt('before:run.succeeded#1', (env) => startProgram('drive-commands', { args: [orders], env }));
    cpSync(run.folder, run.#kept, { recursive: true });
    return run;
  }

  get log(): string {
    return join(this.#kept, 'piton.db-wal');
  }

  restore(): void {
    rmSync(this.folder, { recursive: true });
    cpSync(this.#kept, this.folder, { recursive: true });
  }

  open(): Promise<Piton> {
    return open({
      store: `sqlite:${join(this.folder, 'piton.db')}`,
      durability: 'process',
      ...(this.#trial.isMirrored && { mirror: join(this.folder, 'mirror') }),
    });
  }

  /** How far the journal goes, as it is now; 0 if there is none. */
  async head(): Promise<number> {
    await using piton = await this.open();
    return (await piton.runs())[0]?.seq ?? 0;
  }

  /** What became of it: its outputs, or the code of the error that refused it. */
  async resume(): Promise<unknown> {
    await using piton = await this.open();
    try {
      const definition = await loadWorkflow(join(this.folder, 'flow.yaml'));
      const run = await piton.start(definition, { id: 'run', origin: { directory: this.folder } });
      const held = Promise.withResolvers<string>();
      piton.observe(({ type }) => type === 'task.held' && held.resolve('held'));
      if ((await run.status()) === 'held') return 'held';
      return await Promise.race([held.promise, run.result().then(({ outputs }) => outputs)]);
    } catch (thrown) {
      if (!(thrown instanceof PitonError)) throw thrown;
      return thrown.remedy === undefined ? `no remedy for ${thrown.message}` : thrown.code;
    }
  }

  async verdict(): Promise<boolean | undefined> {
    await using piton = await this.open();
    return (await piton.verify('run'))[0]?.ok;
  }

  async repair(): Promise<void> {
    await using piton = await this.open();
    await piton.repair('run');
  }
}

const headerBytes = 32;

/** Where each frame of the log begins. */
export function framesOf(log: string): number[] {
  const bytes = readFileSync(log);
  const frameBytes = 24 + bytes.readUInt32BE(8);
  const count = Math.floor((bytes.length - headerBytes) / frameBytes);
  const places = Array.from({ length: count }, (_, index) => headerBytes + index * frameBytes);
  // The log is longer than what is in it: frames have the salt of its header.
  const salt = bytes.subarray(16, 24);
  return places.filter((at) => salt.equals(bytes.subarray(at + 8, at + 16)));
}

export function flipped(at: number): LogDamage {
  return {
    name: `a bit flipped at ${at}`,
    inflict(folder) {
      const file = join(folder, 'piton.db-wal');
      const bytes = readFileSync(file);
      bytes[at] = bytes[at]! ^ 1;
      writeFileSync(file, bytes);
    },
  };
}

export function cutAt(at: number): LogDamage {
  return { name: `cut at ${at}`, inflict: (folder) => truncateSync(join(folder, 'piton.db-wal'), at) };
}

export const deleted: LogDamage = {
  name: 'the log deleted',
  inflict: (folder) => rmSync(join(folder, 'piton.db-wal')),
};

/** The database as it was once, without a log. */
export function olderCopy(at: number): LogDamage {
  return {
    name: `replaced by the copy of ${at}`,
    inflict(folder) {
      cutAt(at).inflict(folder);
      // Whoever closes it last brings the log into the file.
      new DatabaseSync(join(folder, 'piton.db')).close();
      rmSync(join(folder, 'piton.db-wal'), { force: true });
    },
  };
}

/** At the beginning of every frame, and within it. */
export function allDamagesOf({ log }: InterruptedRun): LogDamage[] {
  const frames = framesOf(log);
  const { length } = readFileSync(log);
  const anywhere = Array.from({ length: 100 }, () => Math.floor(Math.random() * length));
  return [...frames.map((at) => flipped(at + 16)), ...frames.map(cutAt), ...anywhere.map(flipped), deleted];
}

/** What was promised and not kept. Damages that leave the same head are resumed once. */
export async function harmDoneBy(
  trial: LogTrial,
  choose: (run: InterruptedRun) => readonly LogDamage[],
): Promise<string[]> {
  const run = await InterruptedRun.make(trial);
  const ledger = executionsOf(run.folder);
  const outputs = await run.resume();
  const harm: string[] = unlike(ledger, executionsOf(run.folder), 'undamaged');
  const heads = new Set<number>();
  for (const damage of choose(run)) {
    run.restore();
    damage.inflict(run.folder);
    const head = await run.head();
    if (heads.has(head)) continue;
    heads.add(head);
    const name = `${trial.flow}, ${damage.name} (head ${head})`;
    harm.push(...(await harmIn(run, name)), ...unlike(ledger, executionsOf(run.folder), name));
    if (head > 0) harm.push(...unlike(outputs, await run.resume(), name));
  }
  if (heads.size < 2) harm.push(`the damages have left only ${heads.size} heads`);
  return harm;
}

/** Goes on as a person would: if it is refused, by a repair. */
async function harmIn(run: InterruptedRun, name: string): Promise<string[]> {
  const first = await run.resume();
  if (typeof first !== 'string') return [];
  if (first === 'RUN_LOST' || first === 'BRANCH_TAKEN') return [];
  if (first !== 'RUN_BEHIND' && first !== 'RUN_DAMAGED') return [`${name}: ${first}`];
  if ((await run.verdict()) !== false) return [`${name}: is refused, but verify finds nothing`];
  await run.repair();
  const second = await run.resume();
  return typeof second === 'string' ? [`${name}: ${second} after a repair`] : [];
}

/** A few of them, from the first commit to the last. */
export function someDamagesOf({ log }: InterruptedRun): LogDamage[] {
  const frames = framesOf(log);
  const at = (part: number): number => frames[Math.floor((frames.length - 1) * part)]!;
  return [cutAt(at(0.86)), flipped(at(0.9) + 16), olderCopy(at(0.94)), cutAt(at(0.98)), deleted];
}
