/** A project in a folder of its own in which runs are driven by the real command line, and interrupted. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { flows, stepFile, type FlowName } from './flows.ts';

const sources = resolve(import.meta.dirname, '../../..');
/** Runs of fixtures happened then, whenever they were made. */
export const fixtureTime: number = Date.UTC(2026, 0, 5, 9);

interface Caller {
  readonly crashAt?: string;
}

export class Workshop {
  readonly run: string;
  readonly root: string;
  readonly repository: string;
  readonly #children: ChildProcess[] = [];
  readonly #environment: Readonly<Record<string, string>>;

  constructor(run: string) {
    this.run = run;
    this.root = mkdtempSync(join(tmpdir(), 'piton-fixture-'));
    this.repository = join(this.root, 'repository');
    const clock = join(this.root, 'clock.mjs');
    writeFileSync(clock, clockAt(fixtureTime - Date.now()));
    this.#environment = {
      PATH: process.env['PATH']!,
      HOME: this.root,
      TZ: 'UTC',
      LC_ALL: 'C',
      XDG_STATE_HOME: join(this.root, 'state'),
      PITON_SCRIPTED_HOME: join(this.root, 'sessions'),
      PITON_TRUST: '1',
      PITON_BWRAP: '/nowhere/bwrap',
      NODE_OPTIONS: `--import=${clock} --disable-warning=ExperimentalWarning`,
      GIT_CONFIG_GLOBAL: '/dev/null',
      ...Object.fromEntries(
        ['AUTHOR', 'COMMITTER'].flatMap((who) => [
          [`GIT_${who}_NAME`, 'Ada'],
          [`GIT_${who}_EMAIL`, 'ada@example.com'],
        ]),
      ),
    };
  }

  #makeRepository(files: Readonly<Record<string, string>>): void {
    mkdirSync(join(this.repository, '.piton/workflows'), { recursive: true });
    this.git('init', '-q', '-b', 'main');
    const all = { '.gitignore': '.piton/\n', 'a.txt': 'one\n', step: stepFile, ...files };
    for (const [name, text] of Object.entries(all)) writeFileSync(join(this.repository, name), text);
    this.git('add', '.');
    const date = `${fixtureTime / 1000} +0000`;
    const env = { ...this.#environment, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    execFileSync('git', ['commit', '-qm', 'first'], { cwd: this.repository, env });
  }

  git(...args: string[]): string {
    const options = { cwd: this.repository, env: this.#environment, encoding: 'utf8' } as const;
    return execFileSync('git', args, options).trim();
  }

  /** Whoever comes to that place waits there. */
  hang(name: string): void {
    writeFileSync(join(this.repository, '.git', `hang-${name}`), '');
  }

  letGo(name: string): void {
    rmSync(join(this.repository, '.git', `hang-${name}`), { force: true });
    rmSync(join(this.repository, '.git', `reached-${name}`), { force: true });
  }

  /** How often a step was begun. */
  traced(name: string): number {
    const lines = readFileSync(join(this.repository, '.git/ledger'), 'utf8').split('\n');
    return lines.filter((line) => line === name).length;
  }

  async reached(name: string): Promise<void> {
    await this.until(`${name} is reached`, () =>
      existsSync(join(this.repository, '.git', `reached-${name}`)),
    );
  }

  /** Starts a run in a process of its own, in a new repository. Before it, places to wait at can be named. */
  start(
    flow: FlowName,
    { hangAt = [], ...caller }: Caller & { readonly hangAt?: readonly string[] } = {},
  ): ChildProcess {
    const { workflow, files = {} } = flows[flow]();
    this.#makeRepository(files);
    for (const name of hangAt) this.hang(name);
    // JSON is YAML.
    const file = join(this.repository, '.piton/workflows', `${flow}.yaml`);
    writeFileSync(file, JSON.stringify({ name: flow, ...workflow }));
    return this.call(['run', flow, '--id', this.run], caller);
  }

  /** The same of functions. */
  startFunctions(hangAt: readonly string[]): ChildProcess {
    this.#makeRepository({});
    for (const name of hangAt) this.hang(name);
    return this.#spawn('test/support/programs/drive-functions.ts', [this.root, this.run]);
  }

  call(args: readonly string[], caller: Caller = {}): ChildProcess {
    return this.#spawn('bin/piton.js', args, caller);
  }

  #spawn(script: string, args: readonly string[], { crashAt }: Caller = {}): ChildProcess {
    const env = { ...this.#environment, ...(crashAt !== undefined && { PITON_CRASH_AT: crashAt }) };
    const child = spawn(process.execPath, [join(sources, script), ...args], {
      cwd: this.repository,
      env,
      stdio: ['pipe', process.env['PITON_FIXTURE_LOG'] === undefined ? 'ignore' : 'inherit', 'inherit'],
    });
    this.#children.push(child);
    return child;
  }

  /** Runs the command line to its end; `by`: the exit codes, or the signal, that are right. */
  async ended(child: ChildProcess, ...by: readonly (number | string)[]): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const found = child.exitCode ?? child.signalCode;
    if (!by.includes(found ?? 'unknown'))
      throw new Error(`${this.run}: ended with ${found}, not ${by.join(' or ')}`);
  }

  async kill(child: ChildProcess): Promise<void> {
    child.kill('SIGKILL');
    await this.ended(child, 'SIGKILL');
    child.stdin?.destroy();
  }

  /** The events of the run as they are stored, as text. */
  journal(): string {
    const file = join(this.repository, '.piton/piton.db');
    if (!existsSync(file)) return '';
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return database
        .prepare('SELECT body FROM commits ORDER BY seq')
        .all()
        .map(({ body }) => body)
        .join('\n');
    } catch {
      return '';
    } finally {
      database.close();
    }
  }

  /** Waits until such an event of the task is stored, so often. */
  async stored(type: string, task: string | undefined, times = 1): Promise<void> {
    const text = task === undefined ? `{"type":"${type}"` : `{"type":"${type}","task":"${task}"`;
    await this.until(`${type} of ${task}`, () => this.journal().split(text).length > times);
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    for (const end = Date.now() + 60_000; !holds(); await pause(20))
      if (Date.now() > end) throw new Error(`${this.run}: waited in vain: ${what}\n${this.journal()}`);
  }

  /** Ends what is left of attempts, so that none can write how it ended. */
  endAttempts(): void {
    for (const pid of this.#wrappers()) {
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    // The tools of agents have sessions of their own, and wait for what is gone then.
    const names = existsSync(this.repository) ? readdirSync(join(this.repository, '.git')) : [];
    for (const name of names) if (name.startsWith('hang-')) rmSync(join(this.repository, '.git', name));
  }

  /** Lets what is under way come to its end. */
  async attemptsEnded(): Promise<void> {
    const exits = (): string[] => this.#spooled('exit').map((text) => text.trim());
    await this.until('all attempts have ended', () => exits().every((text) => text.endsWith('end')));
  }

  #wrappers(): number[] {
    return this.#spooled('wrapper').flatMap((text) => {
      const pid = Number(text.split(' ')[1]);
      return pid > 1 ? [pid] : [];
    });
  }

  #spooled(file: string): string[] {
    const spool = join(this.repository, '.piton/spool');
    const names = existsSync(spool) ? readdirSync(spool).filter((name) => !name.startsWith('.')) : [];
    return names.flatMap((name) => {
      const path = join(spool, name, file);
      return existsSync(path) ? [readFileSync(path, 'utf8')] : [];
    });
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    this.endAttempts();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A module that moves the clock of its process. */
function clockAt(offset: number): string {
  return `
const RealDate = Date;
const now = () => RealDate.now() + (${offset});
globalThis.Date = class extends RealDate {
  constructor(...args) { if (args.length === 0) super(now()); else super(...args); }
  static now() { return now(); }
};
`;
}
