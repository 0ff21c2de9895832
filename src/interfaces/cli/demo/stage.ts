import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { deleteTree, livenessOf, PitonError, systemClock } from '../../../base/index.ts';
import type { RunEvent } from '../../../library/index.ts';
import { findProject } from '../../../project/index.ts';
import { onStopSignals } from '../drive/stop-signals.ts';
import { cleanText, type Output } from '../output/index.ts';
import { runPiton, type Call, type PitonProcess } from './piton-process.ts';

export const demoRun = 'demo';

const patienceMs = 30_000;
const pollMs = 20;
/** For each letter, at a terminal. */
const readingMs = 10;

/** What a demo is given to work with. */
export interface DemoOptions {
  readonly output: Output;
  /** How this command line is started, before its arguments. */
  readonly program: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly keepsFolder: boolean;
}

/**
 * A temporary folder in which a demo works. Everything it starts is told to keep its state there too, and the user's
 * git configuration is left out, so that the demo is the same for everybody.
 */
export class Stage {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'piton-demo-')));
  readonly project = join(this.folder, 'project');
  readonly env: Readonly<Record<string, string>>;
  readonly #options: DemoOptions;
  readonly #stopped = new AbortController();
  #running: PitonProcess | undefined;

  constructor(options: DemoOptions) {
    this.#options = options;
    this.env = this.#environment();
    mkdirSync(this.project);
  }

  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  /** Pauses are for somebody who reads along. */
  get isWatched(): boolean {
    return this.#options.output.isTerminal;
  }

  /** Plays a demo in a new folder, and cleans up, also if it is stopped by Ctrl-C. */
  static async use<T>(options: DemoOptions, play: (stage: Stage) => Promise<T>): Promise<T> {
    const stage = new Stage(options);
    const unlisten = onStopSignals({
      stop: () => stage.#stopped.abort(),
      leave: () => options.output.note(`Left before the cleanup was done: delete ${stage.folder} yourself.`),
    });
    try {
      return await play(stage);
    } catch (error) {
      if (stage.signal.aborted) throw new PitonError('RUN_STOPPED', 'The demo was stopped.');
      throw error;
    } finally {
      await stage.#cleanUp();
      unlisten();
    }
  }

  /** A sentence for the reader. */
  async tell(text: string): Promise<void> {
    const { print, style, columns } = this.#options.output;
    print();
    for (const line of wrapped(text, columns)) print(style.bold(line));
    if (this.isWatched) await delay(400 + text.length * readingMs, undefined, { signal: this.signal });
  }

  show(line: string): void {
    const { print, style } = this.#options.output;
    print(`   ${style.dim('│')} ${cleanText(line)}`);
  }

  /** A line as it would be typed. */
  prompt(line: string): void {
    const { print, style } = this.#options.output;
    print(`   ${style.dim('$')} ${line}`);
  }

  /** Starts `piton` in the project; what it prints is shown. */
  piton(args: readonly string[]): PitonProcess {
    const call: Call = { program: this.#options.program, args, cwd: this.project, env: this.env };
    this.#running = runPiton(call, (line) => this.show(line));
    return this.#running;
  }

  /** The same, shown as it would be typed, and waited for. */
  async type(...args: readonly string[]): Promise<void> {
    this.prompt(`piton ${args.join(' ')}`);
    const { ended } = this.piton(args);
    const code = await Promise.race([ended, this.#whenStopped()]);
    if (code !== 0) throw failed(`piton ${args.join(' ')} ended with ${code}, not with 0.`);
  }

  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = systemClock.elapsed() + patienceMs;
    while (!(await holds())) {
      if (systemClock.elapsed() > deadline) throw failed(`Waited in vain until ${what}.`);
      await delay(pollMs, undefined, { signal: this.signal });
    }
  }

  /** The journal of the demo's run; empty before it has begun. */
  async events(): Promise<RunEvent[]> {
    const project = await findProject({ root: this.project, environment: {} });
    if (!project.hasStore()) return [];
    const piton = await project.openExisting();
    try {
      const [record] = await piton.runs({ prefix: demoRun });
      if (record === undefined) return [];
      return await Array.fromAsync((await piton.find(demoRun)).history({ upTo: record.seq }));
    } finally {
      await piton.close();
    }
  }

  #environment(): Record<string, string> {
    const { env, program } = this.#options;
    const foreign = /^(?:PITON_(?!DURABILITY$)|GIT_)/;
    const kept = Object.entries(env).filter(([name, value]) => value !== undefined && !foreign.test(name));
    const inherited = Object.fromEntries(kept) as Record<string, string>;
    return {
      ...inherited,
      // Checks run `node`: the one that runs Piton.
      PATH: `${dirname(program[0]!)}:${inherited['PATH'] ?? ''}`,
      XDG_STATE_HOME: join(this.folder, 'state'),
      // The demo has written the project itself, and takes it away again.
      PITON_TRUST: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Piton demo',
      GIT_AUTHOR_EMAIL: 'demo@piton.invalid',
      GIT_COMMITTER_NAME: 'Piton demo',
      GIT_COMMITTER_EMAIL: 'demo@piton.invalid',
    };
  }

  #whenStopped(): Promise<never> {
    return new Promise((_, reject) => {
      const stop = (): void => reject(failed('The demo was stopped.'));
      if (this.signal.aborted) stop();
      else this.signal.addEventListener('abort', stop, { once: true });
    });
  }

  async #cleanUp(): Promise<void> {
    this.#running?.child.kill('SIGKILL');
    await this.#running?.ended;
    const { output, keepsFolder } = this.#options;
    await this.#endAttempts();
    if (keepsFolder && !this.signal.aborted) output.print(`\nKept: ${this.project}`);
    else await deleteTree(this.folder);
  }

  /** Agents and commands outlive the Piton that started them. */
  async #endAttempts(): Promise<void> {
    for (const event of await this.events().catch(() => [])) {
      if (event.type === 'attempt.spawned') endGroup(event.data.process);
    }
  }
}

/** Kills a process and all in its group, if it is still the one that was started. */
export function endGroup(identity: Parameters<typeof livenessOf>[0]): void {
  if (livenessOf(identity) !== 'alive') return;
  try {
    process.kill(-identity.pid, 'SIGKILL');
  } catch {
    // It has ended just now.
  }
}

function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && longer.length < columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

export function failed(message: string): PitonError {
  return new PitonError('DEMO_FAILED', message);
}
