import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { builtProgram } from './built.ts';

/** A real process running one of `programs/`. It is killed with the test, if it has not ended before. */
export interface Program {
  readonly child: ChildProcess;
  /** The next line it prints; undefined when it has ended. */
  nextLine(): Promise<string | undefined>;
  /** How it ended: all it printed that was not read yet, and its exit code or signal. */
  ended(): Promise<{ readonly lines: readonly string[]; readonly by: number | string }>;
}

/** A program that has shown no sign of life for so long hangs: its test fails, and says so, instead of waiting on. */
const patienceMs = 120_000;

interface ProgramOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Shell text that comes first, such as `ulimit`. */
  readonly under?: string;
}

export function startProgram(name: string, { args = [], env = {}, under = ':' }: ProgramOptions): Program {
  const child = spawn(
    'sh',
    ['-c', `${under}; exec "$0" "$@"`, process.execPath, builtProgram(name), ...args],
    {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string | undefined> => {
    const { done, value } = (await orHung(lines.next(), name)) as IteratorResult<string>;
    return done === true ? undefined : value;
  };
  const remaining = async (): Promise<string[]> => {
    const line = await nextLine();
    return line === undefined ? [] : [line, ...(await remaining())];
  };
  return {
    child,
    nextLine,
    async ended() {
      const rest = await remaining();
      const [code, signal] = await orHung(exit, name);
      return { lines: rest, by: code ?? signal ?? 'unknown' };
    },
  };
}

async function orHung<T>(sign: Promise<T>, name: string): Promise<T> {
  const hung = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => hung.reject(new Error(`${name} has been silent for ${patienceMs} ms`)),
    patienceMs,
  );
  try {
    return await Promise.race([sign, hung.promise]);
  } finally {
    clearTimeout(timer);
  }
}
