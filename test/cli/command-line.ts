import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { open, type Piton } from '../../src/index.ts';
import { createOutput } from '../../src/interfaces/cli/output/index.ts';
import { runCommand } from '../../src/interfaces/cli/run-command.ts';
import { binary } from '../support/built.ts';
import { undocumentedIn } from '../support/documented.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface Answer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder in which the command line is called. */
export interface Project {
  readonly folder: string;
  /** Calls `piton` with arguments, in the project's folder unless another is named, inside of the test's own process. */
  piton(args: readonly string[], options?: CallOptions): Promise<Answer>;
  /** The same by the real command line: for what only a process of its own can show, such as modules that are imported. */
  binary(args: readonly string[], options?: CallOptions): Promise<Answer>;
  /** The same with `--json`, parsed. */
  json(args: readonly string[]): Promise<unknown>;
  write(file: string, content: string): string;
  /** Opens the project's store through the library, as another program would. */
  withStore<T>(use: (piton: Piton) => Promise<T>): Promise<T>;
}

interface CallOptions {
  readonly in?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; without it there is none. */
  readonly input?: string;
  /** At a terminal, where somebody types this and Enter; '': the end of the input. Only inside of the test's own process. */
  readonly answer?: string;
}

export function newProject(): Project {
  const folder = temporaryFolder();
  const inside = (options: CallOptions = {}) => ({ ...options, in: join(folder, options.in ?? '.') });
  const piton: Project['piton'] = (args, options) =>
    // Whoever is to be killed must be a process of its own.
    (options?.env?.['PITON_CRASH_AT'] === undefined ? callInside : callBinary)(args, inside(options));
  return {
    folder,
    piton,
    binary: (args, options) => callBinary(args, inside(options)),
    async json(args) {
      const { stdout, stderr } = await piton([...args, '--json']);
      if (stdout === '') throw new Error(`no JSON, but: ${stderr}`);
      const printed: unknown = JSON.parse(stdout);
      // Whoever looks at it relies on docs/reference/json.md.
      const wrong = undocumentedIn(args, printed);
      if (wrong.length > 0) throw new Error(wrong.join('\n'));
      return printed;
    },
    write(file, content) {
      const path = join(folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    async withStore(use) {
      await using store = await open({ store: `sqlite:${folder}/.piton/piton.db`, durability: 'process' });
      return await use(store);
    },
  };
}

type Call = CallOptions & { readonly in: string };

/** As the real command line does it, but for the process: see `main.ts`. */
async function callInside(
  args: readonly string[],
  { in: directory, env = {}, input, answer }: Call,
): Promise<Answer> {
  const terminal = answer === undefined ? {} : { isTTY: true, columns: 100, rows: 40 };
  const [stdout, stderr] = [Object.assign(new Kept(), terminal), Object.assign(new Kept(), terminal)];
  const typed = answer === undefined || answer === '' ? input : `${answer}\n`;
  const stdin = Object.assign(Readable.from(typed === undefined ? [] : [typed]), terminal);
  const dumb = answer === undefined ? {} : { NO_COLOR: '1', TERM: 'dumb' };
  const caller = {
    directory: () => directory,
    program: [process.execPath, binary],
    env: environmentWith({ ...dumb, ...env }),
    stdin: () => stdin as unknown as NodeJS.ReadStream,
  };
  const streams = { stdout, stderr, env: caller.env } as unknown as Parameters<typeof createOutput>[0];
  const output = createOutput(streams, args.includes('--json'));
  const code = await runCommand(args, output, caller);
  await output.flush();
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** A stream that keeps what was written to it. */
class Kept extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

async function callBinary(args: readonly string[], { in: cwd, env = {}, input }: Call): Promise<Answer> {
  const child = spawn(process.execPath, [binary, ...args], {
    cwd,
    env: environmentWith(env),
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  const exit = once(child, 'exit');
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), exit]);
  return { code: code as number | null, stdout, stderr };
}

function environmentWith(env: Readonly<Record<string, string>>): Record<string, string | undefined> {
  return { ...process.env, PITON_DURABILITY: 'process', NO_COLOR: '', ...env };
}
