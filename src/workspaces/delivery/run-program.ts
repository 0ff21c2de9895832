import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { hasCode } from '../../base/index.ts';

export interface ProgramOrder {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
}

export interface ProgramEnd {
  /** Undefined: it was killed, or took too long. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** There is no such program. */
  readonly isMissing: boolean;
}

/** Services are slow at times, but nobody waits for one for ever. */
const longestMs = 5 * 60_000;

/** Crash points are for the process that was told so; what steers git would lead another one astray. */
const withheld =
  /^(PITON_(CRASH_AT|STOP_AT|CRASH_LOG)|GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|NAMESPACE|OBJECT_DIRECTORY))$/;

/** Runs a program that talks to a service, without a terminal it could ask anybody on. */
export async function runProgram({ argv, cwd, env, input = '' }: ProgramOrder): Promise<ProgramEnd> {
  const [program = '', ...args] = argv;
  const given = Object.entries(env).filter(([name]) => !withheld.test(name));
  const child = spawn(program, args, {
    cwd,
    env: Object.fromEntries(given),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // Not the timeout of spawn: where there is no such program, that one keeps the process alive until it is over.
  const timer = setTimeout(() => child.kill('SIGKILL'), longestMs);
  // One that ends without reading its input is judged by its exit code.
  child.stdin.on('error', () => undefined).end(input);
  const ending = Promise.withResolvers<Pick<ProgramEnd, 'code' | 'isMissing'>>();
  child.on('error', (error) => {
    if (hasCode(error, 'ENOENT')) ending.resolve({ code: undefined, isMissing: true });
    else ending.reject(error);
  });
  child.on('close', (code) => ending.resolve({ code: code ?? undefined, isMissing: false }));
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const end = await ending.promise.finally(() => clearTimeout(timer));
  const [stdout, stderr] = end.isMissing ? ['', ''] : await said;
  return { ...end, stdout, stderr };
}

export function lastLine(output: string): string {
  return output.trim().split('\n').at(-1)?.trim() ?? '';
}
